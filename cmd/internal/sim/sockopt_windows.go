package sim

import "syscall"

// smallBuffers returns a Control function that gives a TCP socket small buffers, so that a sender feels a stall soon.
func smallBuffers(bytes int) func(network, address string, c syscall.RawConn) error {
	return func(_, _ string, c syscall.RawConn) error {
		var err error
		cerr := c.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(syscall.Handle(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, bytes)
			if err == nil {
				err = syscall.SetsockoptInt(syscall.Handle(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF, max(bytes, 32<<10))
			}
		})
		if cerr != nil {
			return cerr
		}
		return err
	}
}
