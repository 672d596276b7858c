package stream

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// File returns the time that a sender spent reading its source, or a receiver writing to its sink: it waited for a
// disk, not for the connection.
func (c *Count) File() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.file
}

func (c *Count) onFile(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.file += d
}

// sourceWriter writes what it has read from a source.
type sourceWriter struct {
	plainBulkWriter
	from io.Reader
}

// load reads up to n bytes for the next write and returns how many there are: none and no error at the source's end.
func (w *sourceWriter) load(n int, count *Count) (int, error) {
	began := time.Now()
	n, err := io.ReadFull(w.from, w.buf[:min(n, len(w.buf))])
	count.onFile(time.Since(began))
	if n > 0 || errors.Is(err, io.EOF) {
		return n, nil // an error comes again
	}
	return 0, fmt.Errorf("stream: read what is to be sent: %w", err)
}

func (w *sourceWriter) path() string { return PathFile }

// sinkReader keeps what it reads for a sink.
type sinkReader struct {
	plainBulkReader
	to io.Writer
}

// store hands the last n bytes that were read to the sink.
func (r *sinkReader) store(n int, count *Count) error {
	began := time.Now()
	_, err := r.to.Write(r.buf[:n])
	count.onFile(time.Since(began))
	if err != nil {
		return fmt.Errorf("stream: write what was received: %w", err)
	}
	return nil
}

func (r *sinkReader) path() string { return PathFile }
