package syslog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Limits on what one message may be long (RFC 5425 asks for 8 KiB at least; devices send up to some 2 KiB, firewalls
// up to some 8).
const (
	longestDatagram = 8 << 10
	longestMessage  = 64 << 10
)

// frames reads the messages of one connection, in whichever framing each of them comes (RFC 6587): with the count of
// its octets in front, or ended by a newline, NUL or the end of the connection.
type frames struct {
	r *bufio.Reader
	// cut counts messages that were longer than longestMessage and lost their ends.
	cut int
}

func newFrames(r io.Reader) *frames { return &frames{r: bufio.NewReaderSize(r, 16<<10)} }

// next returns the next message, without its frame; empty ones are left out. At the end it is io.EOF; what had come
// until then of the last message is returned before that.
func (f *frames) next() ([]byte, error) {
	for {
		n, counted, err := f.count()
		if err != nil {
			return nil, err
		}
		var msg []byte
		if counted {
			msg, err = f.octets(n)
		} else {
			msg, err = f.line()
		}
		msg = bytes.Trim(msg, "\r\n\x00 \t")
		if len(msg) > 0 {
			return msg, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// maxDigits is how many digits a count of octets may have.
const maxDigits = 7

// count looks whether a count of octets comes next, which a message that begins with its priority must follow: a
// line may begin with a number of its own.
func (f *frames) count() (n int, counted bool, err error) {
	for size := 1; size <= maxDigits+2; size++ {
		b, err := f.r.Peek(size)
		if len(b) < size {
			if len(b) == 0 {
				return 0, false, err
			}
			return 0, false, nil // the end: it is a line
		}
		switch c := b[size-1]; {
		case c >= '0' && c <= '9' && size <= maxDigits && !(size == 1 && c == '0'):
			n = n*10 + int(c-'0')
		case c == ' ' && size > 1:
			next, _ := f.r.Peek(size + 1)
			if len(next) <= size || next[size] != '<' {
				return 0, false, nil
			}
			_, err := f.r.Discard(size)
			return n, true, err
		default:
			return 0, false, nil
		}
	}
	return 0, false, nil
}

// octets reads a counted message; of one that is too long, the beginning.
func (f *frames) octets(n int) ([]byte, error) {
	msg := make([]byte, min(n, longestMessage))
	got, err := io.ReadFull(f.r, msg)
	if err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF
		}
		return msg[:got], err
	}
	if n > longestMessage {
		f.cut++
		_, err = io.CopyN(io.Discard, f.r, int64(n-longestMessage))
	}
	return msg, err
}

// line reads up to a newline or NUL.
func (f *frames) line() ([]byte, error) {
	var msg []byte
	tooLong := false
	for {
		c, err := f.r.ReadByte()
		if err != nil {
			return msg, err
		}
		if c == '\n' || c == 0 {
			return msg, nil
		}
		if len(msg) < longestMessage {
			msg = append(msg, c)
		} else if !tooLong {
			tooLong = true
			f.cut++
		}
	}
}
