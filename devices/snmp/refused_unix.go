//go:build !windows

package snmp

import (
	"errors"
	"syscall"
)

// closedPort says whether the system learned by ICMP that nothing listens on the port.
func closedPort(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
