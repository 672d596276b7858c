//go:build !windows

package cli

import (
	"context"
	"errors"
	"net"
	"os"
)

// dialAgent connects to the agent that SSH_AUTH_SOCK names.
func dialAgent(ctx context.Context) (net.Conn, error) {
	path := os.Getenv("SSH_AUTH_SOCK")
	if path == "" {
		return nil, errors.New("SSH_AUTH_SOCK is not set")
	}
	var d net.Dialer
	return d.DialContext(ctx, "unix", path)
}
