package host

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// SocketDrops returns how many packets the kernel discarded for want of room in this socket since it was opened; it
// wraps. It is the count that SO_RXQ_OVFL sends along with each datagram, at any time. It is not known (false) where
// the system does not tell.
func SocketDrops(conn syscall.Conn) (drops uint32, ok bool) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, false
	}
	err = raw.Control(func(fd uintptr) {
		// SO_MEMINFO, include/uapi/linux/sock_diag.h: nine words, the last is SK_MEMINFO_DROPS.
		var info [9]uint32
		size := uint32(unsafe.Sizeof(info))
		_, _, no := unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.SOL_SOCKET, unix.SO_MEMINFO, uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
		if ok = no == 0 && size == uint32(unsafe.Sizeof(info)); ok {
			drops = info[8]
		}
	})
	return drops, ok && err == nil
}
