//go:build !linux

package host

import "syscall"

// SocketDrops returns how many packets the kernel discarded for want of room in a socket; this system does not tell.
func SocketDrops(syscall.Conn) (drops uint32, ok bool) { return 0, false }
