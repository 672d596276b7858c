package host

import (
	"fmt"
	"io"
	"os"
)

// procFile is a file of /proc that is read again and again. It stays open, so that it goes on telling of the network
// namespace it was opened in.
type procFile struct {
	path string
	f    *os.File
	buf  []byte
}

// read returns what the file says now; the bytes are valid until the next call. Files of this kind are made anew by
// the kernel whenever they are read from their beginning.
func (p *procFile) read() ([]byte, error) {
	if p.f == nil {
		f, err := os.Open(p.path)
		if err != nil {
			return nil, err
		}
		p.f = f
	}
	if p.buf == nil {
		p.buf = make([]byte, 4096)
	}
	for n := 0; ; {
		k, err := p.f.ReadAt(p.buf[n:], int64(n))
		n += k
		switch {
		case err == io.EOF:
			return p.buf[:n], nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", p.path, err)
		case n < len(p.buf):
			continue
		case n >= maxProcFile:
			return nil, fmt.Errorf("%s: longer than %d bytes", p.path, maxProcFile)
		}
		p.buf = append(p.buf, make([]byte, len(p.buf))...)
	}
}

// maxProcFile is more than /proc/stat of 1000 cores takes.
const maxProcFile = 4 << 20

func (p *procFile) close() {
	if p.f != nil {
		p.f.Close()
		p.f = nil
	}
}
