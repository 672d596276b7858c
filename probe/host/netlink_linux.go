package host

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"time"

	"golang.org/x/sys/unix"
)

// netlink asks the kernel by rtnetlink(7). It is used by one goroutine at a time.
type netlink struct {
	fd  int
	seq uint32
	buf []byte
}

// answerTime is how long the kernel may take for an answer: it waits for others that change the network.
const answerTime = time.Second

var native = binary.NativeEndian

func openNetlink() (*netlink, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("netlink: %w", err)
	}
	tv := unix.NsecToTimeval(answerTime.Nanoseconds())
	if err := errors.Join(unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}), unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &tv)); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("netlink: %w", err)
	}
	return &netlink{fd: fd, buf: make([]byte, 32<<10)}, nil
}

func (n *netlink) close() { unix.Close(n.fd) }

// ask sends one question and gives f the body of each answer; the bytes are valid until f returns. An error of the
// kernel's is a unix.Errno.
func (n *netlink) ask(typ uint16, body []byte, f func(body []byte) error) error {
	return n.exchange(typ, unix.NLM_F_REQUEST|unix.NLM_F_ACK, body, f)
}

// list asks for everything of a kind.
func (n *netlink) list(typ uint16, body []byte, f func(body []byte) error) error {
	return n.exchange(typ, unix.NLM_F_REQUEST|unix.NLM_F_DUMP, body, f)
}

func (n *netlink) exchange(typ, flags uint16, body []byte, f func(body []byte) error) error {
	n.seq++
	req := make([]byte, 0, unix.SizeofNlMsghdr+len(body))
	req = native.AppendUint32(req, uint32(unix.SizeofNlMsghdr+len(body)))
	req = native.AppendUint16(req, typ)
	req = native.AppendUint16(req, flags)
	req = native.AppendUint32(req, n.seq)
	req = native.AppendUint32(req, 0)
	req = append(req, body...)
	if err := unix.Sendto(n.fd, req, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return fmt.Errorf("netlink: %w", err)
	}
	for {
		k, _, err := unix.Recvfrom(n.fd, n.buf, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return fmt.Errorf("netlink: %w", err)
		}
		for m := range messages(n.buf[:k]) {
			switch {
			case m.seq != n.seq: // of a question that was given up
			case m.typ == unix.NLMSG_ERROR && len(m.body) >= 4:
				if no := int32(native.Uint32(m.body)); no != 0 {
					return unix.Errno(-no)
				}
				return nil
			case m.typ == unix.NLMSG_DONE:
				return nil
			default:
				if err := f(m.body); err != nil {
					return err
				}
			}
		}
	}
}

type message struct {
	typ  uint16
	seq  uint32
	body []byte
}

// messages returns the messages of a datagram. What is cut short ends it.
func messages(b []byte) iter.Seq[message] {
	return func(yield func(message) bool) {
		for len(b) >= unix.SizeofNlMsghdr {
			size := int(native.Uint32(b))
			if size < unix.SizeofNlMsghdr || size > len(b) {
				return
			}
			if !yield(message{native.Uint16(b[4:]), native.Uint32(b[8:]), b[unix.SizeofNlMsghdr:size]}) {
				return
			}
			b = b[min((size+3)&^3, len(b)):]
		}
	}
}

// attributes returns the attributes of a message (rtnetlink(7)): types without their flags, and values.
func attributes(b []byte) iter.Seq2[uint16, []byte] {
	return func(yield func(uint16, []byte) bool) {
		for len(b) >= unix.SizeofRtAttr {
			size := int(native.Uint16(b))
			if size < unix.SizeofRtAttr || size > len(b) {
				return
			}
			if !yield(native.Uint16(b[2:])&0x3fff, b[unix.SizeofRtAttr:size]) {
				return
			}
			b = b[min((size+3)&^3, len(b)):]
		}
	}
}

// attribute appends one attribute.
func attribute(b []byte, typ uint16, value []byte) []byte {
	b = native.AppendUint16(b, uint16(unix.SizeofRtAttr+len(value)))
	b = native.AppendUint16(b, typ)
	b = append(b, value...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

func u32(b []byte) uint32 {
	if len(b) < 4 {
		return 0
	}
	return native.Uint32(b)
}

// text returns a string that ends with a zero byte.
func text(b []byte) string { return unix.ByteSliceToString(b) }
