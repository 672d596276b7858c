//go:build !linux

package capture

import (
	"context"
	"fmt"
	"io"
)

// Capture is a running capture. There is none on this system.
type Capture struct{}

// Open returns ErrUnsupported, with what to do instead.
func Open(cfg Config) (*Capture, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("capture: %w", ErrUnsupported)
}

// Run is never called: Open fails.
func (*Capture) Run(context.Context, io.Writer) (Stats, error) { return Stats{}, ErrUnsupported }

// Close is never called either.
func (*Capture) Close() {}
