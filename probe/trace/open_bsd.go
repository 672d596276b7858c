//go:build darwin || freebsd || netbsd || openbsd

package trace

import "net/netip"

func open(c Config, to netip.Addr) (carrier, error) { return openPortable(c, to) }
