package iperf3

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"whydrop/probe/peertest"
)

// someFile makes a file of n bytes that no generator makes again.
func someFile(t *testing.T, n int) (path string, contents []byte) {
	t.Helper()
	contents = make([]byte, n)
	_, _ = rand.Read(contents)
	path = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, contents, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, contents
}

func TestAFileIsSentToItsEnd(t *testing.T) {
	t.Parallel()
	path, contents := someFile(t, 3<<20+17)
	address := serve(t, ServerConfig{})
	for _, streams := range []int{1, 2} {
		r, err := Run(t.Context(), Test{Address: address, Time: 20 * time.Second, File: path, Streams: streams}, time.Second, Handler{})
		if err != nil {
			t.Fatal(err)
		}
		if want := uint64(streams * len(contents)); r.Far == nil || r.Far.Bytes() != want || r.Local.Bytes() != want {
			t.Errorf("%d streams: sent %d, the far end %+v, want %d", streams, r.Local.Bytes(), r.Far, want)
		}
		if s := r.Local.Streams[0]; !s.FileTime.OK || s.Path != "file" {
			t.Errorf("%v on the file, by %q", s.FileTime, s.Path)
		}
	}
}

func TestWhatArrivesIsWrittenToAFile(t *testing.T) {
	t.Parallel()
	address := serve(t, ServerConfig{})
	full, _ := someFile(t, 10)
	empty, _ := someFile(t, 0)
	for name, test := range map[string]Test{
		"a new one":               {File: filepath.Join(t.TempDir(), "new")},
		"an empty one":            {File: empty, Bytes: syncEvery + 1}, // more than waits for the disk
		"one that may be lost":    {File: full, Overwrite: true},
		"a device, which is none": {File: os.DevNull},
	} {
		test.Address, test.Bytes, test.Reverse = address, max(test.Bytes, 5<<20), true
		r, err := Run(t.Context(), test, time.Second, Handler{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		info, err := os.Stat(test.File)
		if err != nil {
			t.Fatal(err)
		}
		if n := r.Local.Bytes(); n < test.Bytes || info.Mode().IsRegular() && uint64(info.Size()) != n {
			t.Errorf("%s: %d bytes arrived, the file has %d", name, n, info.Size())
		}
	}
}

func TestAFileThatHoldsSomethingIsKept(t *testing.T) {
	t.Parallel()
	path, contents := someFile(t, 10)
	test := Test{Address: "127.0.0.1:1", Reverse: true, File: path}
	if err := test.Check(); !errors.Is(err, ErrNotEmpty) || !strings.Contains(err.Error(), path) {
		t.Errorf("before the test: %v", err)
	}
	if _, _, err := test.target(); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("in the test: %v", err)
	}
	test.Overwrite = true
	if err := test.Check(); err != nil {
		t.Error(err)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, contents) {
		t.Errorf("%d bytes are left, %v", len(now), err)
	}
	test.File += "-new"
	if err := test.Check(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(test.File); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("to check made the file: %v", err)
	}
}

func TestAFarEndsFileIsReadButNotGivenAway(t *testing.T) {
	t.Parallel()
	path, contents := someFile(t, 1<<20)
	var mu sync.Mutex
	var said []string
	address := serve(t, ServerConfig{File: path, Log: func(line string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, line)
	}})
	got := filepath.Join(t.TempDir(), "got")
	if _, err := Run(t.Context(), Test{Address: address, Bytes: 3 << 20, Reverse: true, File: got}, time.Second, Handler{}); err != nil {
		t.Fatal(err)
	}
	arrived, err := os.ReadFile(got)
	if err != nil {
		t.Fatal(err)
	}
	if len(arrived) < 3<<20 || bytes.Contains(arrived, contents[1000:1016]) {
		t.Errorf("%d bytes arrived; the far end's contents among them: %v", len(arrived), bytes.Contains(arrived, contents[1000:1016]))
	}
	// A test forward leaves the file alone.
	if _, err := Run(t.Context(), Test{Address: address, Bytes: 1 << 20}, time.Second, Handler{}); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, contents) {
		t.Errorf("the far end's file was changed: %d bytes, %v", len(now), err)
	}
	peertest.Await(t, "the far end says how long it read", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(strings.Join(said, "\n"), "s on it")
	})
}

// watched is a file whose greatest size is noted.
type watched struct {
	*os.File
	most int64
}

func (w *watched) Write(b []byte) (int, error) {
	n, err := w.File.Write(b)
	if at, serr := w.File.Seek(0, io.SeekCurrent); serr == nil {
		w.most = max(w.most, at)
	}
	return n, err
}

func TestARingNeverGrowsBeyondItsSize(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "ring"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := &watched{File: f}
	r := &ring{file: w, most: 1000}
	for _, size := range []int{600, 600, 1, 2500} {
		if n, err := r.Write(make([]byte, size)); n != size || err != nil {
			t.Fatalf("%d of %d written: %v", n, size, err)
		}
	}
	if info, _ := f.Stat(); w.most != 1000 || info.Size() != 1000 || r.at != 701 {
		t.Errorf("the file grew to %d, has %d bytes and goes on at %d", w.most, info.Size(), r.at)
	}
}

func TestAFarEndWritesAFileOfItsOwnAndEmptiesIt(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "scratch")
	said := make(chan string, 100)
	address := serve(t, ServerConfig{File: path, MaxFile: 1 << 20, Log: func(line string) { said <- line }})
	if _, err := Run(t.Context(), Test{Address: address, Bytes: 8 << 20}, time.Second, Handler{}); err != nil {
		t.Fatal(err)
	}
	for {
		select {
		case line := <-said:
			if !strings.Contains(line, "s on it") {
				continue
			}
		case <-time.After(10 * time.Second):
			t.Fatal("the far end says nothing of its file")
		}
		break
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 0 {
		t.Errorf("after the test: %v, %v", info, err)
	}
}

func TestFilesThatCannotBe(t *testing.T) {
	path, _ := someFile(t, 10)
	for name, test := range map[string]Test{
		"by UDP":             {File: path, UDP: true},
		"both ways":          {File: path, Bidirectional: true},
		"compared":           {File: path, Verify: true},
		"two streams in one": {File: path, Reverse: true, Streams: 2},
		"a folder":           {File: filepath.Dir(path)},
		"none":               {File: path + "?"},
		"into a folder":      {File: filepath.Dir(path), Reverse: true},
		"below a file":       {File: path + "/below", Reverse: true},
		"in no folder":       {File: filepath.Join(path+"?", "below"), Reverse: true},
	} {
		test.Address = "127.0.0.1:1"
		if err := test.Check(); err == nil {
			t.Errorf("%s: nothing is wrong with it", name)
		}
	}
	if err := Serve(t.Context(), ServerConfig{Listener: listener(t), File: filepath.Dir(path)}); err == nil {
		t.Error("a far end serves a folder")
	}
	if err := Serve(t.Context(), ServerConfig{Listener: listener(t), File: path + "/below"}); err == nil || errors.Is(err, fs.ErrExist) {
		t.Errorf("a far end serves a file below a file: %v", err)
	}
}

func TestAFarEndsFileThatBecomesEmptyIsToldOnce(t *testing.T) {
	path, _ := someFile(t, 1000)
	f, err := openServerFile(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	chunk, done := f.slow(true, func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) })
	chunk(2500) // two and a half times
	if len(said) > 0 {
		t.Error(said)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	chunk(2500)
	chunk(2500)
	done()
	if len(said) != 2 || !strings.Contains(said[0], "has become empty") || !strings.Contains(said[1], "s on it") {
		t.Errorf("%q", said)
	}
}

func listener(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}
