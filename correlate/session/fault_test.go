package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

// faulty is a file whose disk has room for some bytes only, or whose sync fails.
type faulty struct {
	file
	room *atomic.Int64
	sync error
}

func (f faulty) WriteAt(b []byte, off int64) (int, error) {
	if left := f.room.Add(-int64(len(b))); left < 0 {
		n := max(0, len(b)+int(left))
		m, _ := f.file.WriteAt(b[:n], off)
		return m, &os.PathError{Op: "write", Path: "run.whydrop", Err: syscall.ENOSPC}
	}
	return f.file.WriteAt(b, off)
}

func (f faulty) Sync() error {
	if f.sync != nil {
		return f.sync
	}
	return f.file.Sync()
}

// waitForErr puts records until the recording has stopped, and fails if a Put ever took long.
func waitForErr(t *testing.T, r *Recorder) (put int, err error) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for n := 0; ; n++ {
		if err := r.Err(); err != nil {
			return n, err
		}
		if time.Now().After(deadline) {
			t.Fatal("the recording did not stop")
		}
		began := time.Now()
		for _, rec := range samples(n, n+1) {
			r.Put(rec)
		}
		if d := time.Since(began); d > time.Second {
			t.Errorf("putting 11 records took %v", d)
		}
		time.Sleep(100 * time.Microsecond)
	}
}

func TestFullDiskStopsTheRecordingAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.whydrop")
	var room atomic.Int64
	room.Store(50_000)
	tune := testTuning()
	tune.compact = 1 << 40
	tune.open = func(path string) (file, error) {
		f, err := openRecording(path)
		return faulty{f, &room, nil}, err
	}
	r, err := create(path, Meta{Site: "lab"}, tune)
	if err != nil {
		t.Fatal(err)
	}
	_, err = waitForErr(t, r)
	if !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), "recording stopped at 20") {
		t.Errorf("got %v", err)
	}
	r.Put(timeline.Event{Text: "after the end"})
	r.Keep(timeline.Exchange{})
	if err := r.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Close: %v", err)
	}
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := good(t, s); n < 1000 || len(s.Damage()) > 0 || s.Complete() {
		t.Errorf("%d records, damage %q, complete %v", n, s.Damage(), s.Complete())
	}
}

func TestFailingSyncStopsTheRecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.whydrop")
	var room atomic.Int64
	room.Store(1 << 40)
	first := true
	tune := testTuning()
	tune.open = func(path string) (file, error) {
		f, err := openRecording(path)
		if first { // the first database must come about
			first = false
			return f, err
		}
		return faulty{f, &room, syscall.EIO}, err
	}
	r, err := create(path, Meta{}, tune)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := waitForErr(t, r); !errors.Is(err, syscall.EIO) {
		t.Errorf("got %v", err)
	}
	r.Close()
}

func TestNoRoomForTheFinalFormIsNoLoss(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.whydrop")
	tune := testTuning()
	tune.compact = 1 << 40
	var full atomic.Bool
	tune.open = func(p string) (file, error) {
		if full.Load() {
			return nil, syscall.ENOSPC
		}
		return openRecording(p)
	}
	r, err := create(path, Meta{Site: "lab"}, tune)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range samples(0, 100) {
		r.Put(rec)
	}
	full.Store(true)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	got := load(t, path)
	if len(got.records) != 1100 || len(got.damage) > 0 || !got.complete {
		t.Errorf("%d records, damage %q, complete %v", len(got.records), got.damage, got.complete)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

func TestSlowDiskDropsAndCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.whydrop")
	tune := defaults
	tune.flush = time.Hour // the writer does not come to it
	r, err := create(path, Meta{}, tune)
	if err != nil {
		t.Fatal(err)
	}
	big := make([]byte, maxReply)
	for range maxPendingBytes/maxReply + 2 {
		r.Keep(timeline.Exchange{Reply: big})
	}
	rec := numbered(1, 1)
	for range maxPending + 3 {
		r.Put(rec)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if r.Dropped() != 2+3 {
		t.Errorf("dropped %d, want 5", r.Dropped())
	}
	got := load(t, path)
	if len(got.records) != maxPending || len(got.exchanges) != maxPendingBytes/maxReply {
		t.Errorf("%d records, %d exchanges", len(got.records), len(got.exchanges))
	}
	if len(got.damage) != 1 || !strings.Contains(got.damage[0], "5 records") {
		t.Errorf("damage %q", got.damage)
	}
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	if err := os.WriteFile(there, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	target := filepath.Join(dir, "target")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	for name, path := range map[string]string{"a file that is there": there, "a dangling link": link, "a directory": dir} {
		if r, err := Create(path, Meta{}); err == nil {
			r.Close()
			t.Errorf("%s: accepted", name)
		} else if !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v does not name it", name, err)
		}
	}
	if b, err := os.ReadFile(there); err != nil || string(b) != "precious" {
		t.Errorf("the file that was there: %q, %v", b, err)
	}
	if _, err := os.Lstat(target); !os.IsNotExist(err) {
		t.Errorf("the link was followed: %v", err)
	}
	if os.Geteuid() != 0 && runtime.GOOS != "windows" {
		locked := filepath.Join(dir, "locked")
		if err := os.Mkdir(locked, 0o500); err != nil {
			t.Fatal(err)
		}
		if r, err := Create(filepath.Join(locked, "x"), Meta{}); err == nil {
			r.Close()
			t.Error("a directory without write permission: accepted")
		}
	}
}

func TestFilesAreTheOwnersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps no mode bits")
	}
	dir := filepath.Join(t.TempDir(), "new", "deep")
	path := filepath.Join(dir, "run.whydrop")
	r, err := create(path, Meta{}, testTuning())
	if err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		for p, want := range map[string]os.FileMode{path: 0o600, dir: 0o700, filepath.Dir(dir): 0o700} {
			if fi, err := os.Stat(p); err != nil || fi.Mode().Perm() != want {
				t.Errorf("%s: %s has mode %v, %v; want %v", when, p, fi.Mode().Perm(), err, want)
			}
		}
	}
	check("new")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	check("closed")
}

func TestSwappedLinkIsNotFollowed(t *testing.T) {
	dir := t.TempDir()
	path, victim := filepath.Join(dir, "run.whydrop"), filepath.Join(dir, "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := create(path, Meta{}, testTuning())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Skip(err) // Windows does not remove open files
	}
	if err := os.Symlink(victim, path); err != nil {
		t.Skip(err)
	}
	for _, rec := range samples(0, 100) {
		r.Put(rec)
	}
	err = r.Close()
	if b, _ := os.ReadFile(victim); string(b) != "precious" {
		t.Errorf("the link was followed: %.20q, Close: %v", b, err)
	}
}

func TestCloseTwice(t *testing.T) {
	r, err := Create(filepath.Join(t.TempDir(), "x"), Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Error(err)
	}
	r.Put(timeline.Event{})
	if r.Dropped() != 0 || r.Err() != nil {
		t.Error("a record after Close was counted as dropped")
	}
}

func ExampleRecorder_Err() {
	r := &Recorder{}
	r.fail(&os.PathError{Op: "write", Path: "run.whydrop", Err: syscall.ENOSPC})
	fmt.Println(strings.HasSuffix(r.Err().Error(), "write run.whydrop: no space left on device"))
	// Output: true
}
