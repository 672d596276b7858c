package session

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

// killsEnv says how often TestKilledRecordingIsReadable kills; CI says 100.
const (
	killsEnv    = "WHYDROP_KILLS"
	recorderEnv = "WHYDROP_TEST_RECORD_TO"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(recorderEnv); path != "" {
		recordUntilKilled(path)
	}
	os.Exit(m.Run())
}

// recordUntilKilled records numbered samples, events and exchanges as quickly as the recorder takes them, and
// says on its output, after it put number n, "n".
func recordUntilKilled(path string) {
	t := defaults // the flush as in life; the rest as if five minutes passed in half a second
	t.seal, t.sealBytes, t.compact = 500*time.Millisecond, 1<<20, 64<<10
	r, err := create(path, Meta{Site: "killed", Started: time.Now()}, t)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	out := bufio.NewWriter(os.Stdout)
	for n := 0; ; n++ {
		for port := range 100 {
			r.Put(numbered(n, port))
		}
		r.Put(timeline.Event{Subject: timeline.Device("sw1"), Type: timeline.EventSyslog, Span: timeline.At(t0.Add(time.Duration(n))), Text: strconv.Itoa(n)})
		r.Keep(timeline.Exchange{Origin: timeline.Origin{Collector: "ssh:sw1", Exchange: uint64(n)}, Request: "show interfaces", Reply: []byte(strings.Repeat("packets input ", 40) + strconv.Itoa(n))})
		fmt.Fprintln(out, n)
		out.Flush()
		if r.Err() != nil || r.Dropped() > 0 {
			fmt.Println("recording stopped or records dropped:", r.Err(), r.Dropped())
			os.Exit(1)
		}
		time.Sleep(time.Millisecond) // some 100,000 records a second
	}
}

func numbered(n, port int) timeline.Sample {
	at := t0.Add(time.Duration(n) * time.Second)
	return timeline.Sample{Subject: timeline.Port("sw1", "Gi1/0/"+strconv.Itoa(port)), Metric: timeline.InBits,
		Span: timeline.Span{From: at, To: at.Add(time.Second)}, Value: float64(n*1000 + port), Origin: timeline.Origin{Collector: "snmp:sw1", Exchange: uint64(n)}}
}

// TestKilledRecordingIsReadable kills a recording process at random moments, takes the main file alone to another
// place and reads it: everything older than a second must be there, all of it sound.
func TestKilledRecordingIsReadable(t *testing.T) {
	kills := 15
	if testing.Short() {
		kills = 5
	}
	if n, err := strconv.Atoi(os.Getenv(killsEnv)); err == nil {
		kills = n
	}
	const inParallel = 5
	slots := make(chan struct{}, inParallel)
	for range inParallel {
		slots <- struct{}{}
	}
	type result struct {
		must int
		err  error
	}
	results := make(chan result)
	for i := range kills {
		dir := t.TempDir()
		go func() {
			<-slots
			must, err := killOnce(dir, time.Duration(200+rand.IntN(2300))*time.Millisecond)
			slots <- struct{}{}
			if err != nil {
				err = fmt.Errorf("kill %d: %w", i+1, err)
			}
			results <- result{must, err}
		}()
	}
	told := 0
	for range kills {
		r := <-results
		if r.err != nil {
			t.Error(r.err)
		}
		if r.must > 0 {
			told++
		}
	}
	if kills >= 15 && told == 0 {
		t.Error("no recording was older than a second when it was killed: the test shows nothing")
	}
	t.Logf("%d kills, %d of them of recordings older than a second", kills, told)
}

// killOnce returns the last number that had to be in the file; -1 if none had to.
func killOnce(dir string, after time.Duration) (must int, err error) {
	must = -1
	path := filepath.Join(dir, "a", "run.whydrop")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), recorderEnv+"="+path)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return must, err
	}
	if err := cmd.Start(); err != nil {
		return must, err
	}
	killed := make(chan time.Time, 1)
	time.AfterFunc(after, func() {
		at := time.Now()
		cmd.Process.Kill()
		killed <- at
	})
	type line struct {
		n  int
		at time.Time
	}
	var lines []line
	sc := bufio.NewScanner(pipe)
	var odd string
	for sc.Scan() {
		n, err := strconv.Atoi(sc.Text())
		if err != nil {
			odd = sc.Text()
			continue
		}
		lines = append(lines, line{n, time.Now()})
	}
	cmd.Wait()
	moment := <-killed
	if len(lines) > 0 && lines[len(lines)-1].at.After(moment) {
		moment = lines[len(lines)-1].at // the machine was busy: the last line was read after the kill
	}
	if odd != "" {
		return must, fmt.Errorf("recorder said %q", odd)
	}
	for _, l := range lines {
		if moment.Sub(l.at) > time.Second {
			must = l.n
		}
	}
	alone := filepath.Join(dir, "b", "mailed")
	if err := copyFile(path, alone); err != nil {
		if os.IsNotExist(err) && must < 0 {
			return must, nil // killed before the recording began
		}
		return must, err
	}
	s, err := Open(alone)
	if err != nil {
		if must < 0 && len(lines) == 0 {
			return must, nil // killed while it was being created
		}
		return must, err
	}
	defer s.Close()
	return must, verifyNumbered(s, must)
}

// verifyNumbered checks that all numbers up to must are there, that nothing is half there and nothing is wrong.
func verifyNumbered(s *Session, must int) error {
	samples, events, exchanges := map[int]int{}, map[int]bool{}, map[int]bool{}
	var wrong error
	err := s.Each(func(r timeline.Record) bool {
		switch r := r.(type) {
		case timeline.Sample:
			n := int(r.Origin.Exchange)
			if want := numbered(n, int(r.Value)-n*1000); r != want {
				wrong = fmt.Errorf("got %+v, want %+v", r, want)
			}
			samples[n]++
		case timeline.Event:
			n, err := strconv.Atoi(r.Text)
			if err != nil {
				wrong = err
			}
			events[n] = true
		}
		return wrong == nil
	})
	if err == nil {
		err = s.Exchanges(func(x timeline.Exchange) bool {
			exchanges[int(x.Origin.Exchange)] = true
			return true
		})
	}
	if err != nil || wrong != nil {
		return fmt.Errorf("%v %v", err, wrong)
	}
	if d := s.Damage(); len(d) > 0 {
		return fmt.Errorf("damage %q", d)
	}
	if s.Meta().Site != "killed" || s.Complete() {
		return fmt.Errorf("meta %+v, complete %v", s.Meta(), s.Complete())
	}
	for n := range must + 1 {
		if samples[n] != 100 || !events[n] || !exchanges[n] {
			return fmt.Errorf("of number %d there are %d samples of 100, event %v, exchange %v; the last that must be there is %d", n, samples[n], events[n], exchanges[n], must)
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Close()
}
