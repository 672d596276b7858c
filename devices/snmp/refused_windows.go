package snmp

import (
	"errors"
	"syscall"
)

// closedPort says whether the system learned by ICMP that nothing listens on the port, which Windows reports for
// a UDP socket as a connection that was reset.
func closedPort(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.WSAECONNRESET)
}
