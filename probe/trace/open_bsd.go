//go:build darwin || freebsd || netbsd || openbsd

package trace

import (
	"fmt"
	"net/netip"
	"runtime"
)

func open(Config, netip.Addr) (carrier, error) {
	return nil, fmt.Errorf("%w: %s", ErrUnsupported, runtime.GOOS)
}
