package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/stream"
)

// Bounds of the look at the disk alone.
const (
	diskTime  = 3 * time.Second
	diskBytes = 2 << 30 // that are written at most
)

// alone returns the row of the disk without the network: what reading the file, or writing one beside it, carries. Where
// the system can it reads from the disk, not from what memory still holds of the file; what is written is on the disk
// when the time is taken.
func alone(ctx context.Context, o Options) Row {
	r := Row{Step: Step{Name: "disk alone"}, Span: timeline.Span{From: time.Now()}, Counted: true}
	most := diskTime
	if o.StepTime > 0 {
		most = min(most, o.StepTime)
	}
	var n int64
	var err error
	if o.Test.Reverse {
		n, err = writeFile(ctx, filepath.Dir(o.File), most)
	} else {
		n, err = readFile(ctx, o.File, most)
	}
	r.Span.To = time.Now()
	r.Seconds = r.Span.Width().Seconds()
	switch {
	case err != nil:
		r.Reason = fmt.Sprintf("disk: %v", err)
	case n == 0 || r.Seconds == 0:
		r.Reason = "disk: the file is empty"
	default:
		r.Arrived = float64(n) * 8 / r.Seconds
		r.Sent = r.Arrived
	}
	return r
}

func readFile(ctx context.Context, path string, most time.Duration) (n int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	forget(f)
	buf := make([]byte, stream.DefaultLength)
	for end := time.Now().Add(most); time.Now().Before(end) && ctx.Err() == nil; {
		k, err := f.Read(buf)
		n += int64(k)
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// forgetFile makes the system drop what it holds of the file in memory. That it cannot be opened, the test will say.
func forgetFile(path string) {
	if f, err := os.Open(path); err == nil {
		forget(f)
		f.Close()
	}
}

func writeFile(ctx context.Context, dir string, most time.Duration) (n int64, err error) {
	f, err := os.CreateTemp(dir, ".whydrop-*")
	if err != nil {
		return 0, err
	}
	defer func() {
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}()
	buf := make([]byte, stream.DefaultLength)
	for i := range buf {
		buf[i] = byte(i*i>>3 ^ i*7)
	}
	for end := time.Now().Add(most); time.Now().Before(end) && n < diskBytes && ctx.Err() == nil; {
		k, err := f.Write(buf)
		n += int64(k)
		if err != nil {
			return n, err
		}
		// Now and then, so that it does not all come at the end.
		if n%(64<<20) == 0 {
			if err := f.Sync(); err != nil {
				return n, err
			}
		}
	}
	return n, f.Sync()
}
