package session

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

// samples returns n numbered readings of ten ports and an event with each.
func samples(from, to int) []timeline.Record {
	var out []timeline.Record
	for n := from; n < to; n++ {
		for port := range 10 {
			out = append(out, numbered(n, port))
		}
		out = append(out, timeline.Event{Subject: timeline.Device("sw1"), Type: timeline.EventSyslog, Span: timeline.At(t0.Add(time.Duration(n) * time.Second)), Text: strings.Repeat("x", n%3000)})
	}
	return out
}

// recordInBatches records so that the file holds many sealed batches, some spread over pages.
func recordInBatches(t testing.TB, batches int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.whydrop")
	tune := defaults
	tune.flush, tune.seal, tune.compact = time.Hour, 0, 1<<40
	r, err := create(path, Meta{Site: "lab", Started: t0}, tune)
	if err != nil {
		t.Fatal(err)
	}
	// Drive the writer by hand; its ticker never ticks.
	for i := range batches {
		for _, rec := range samples(i*50, i*50+50) {
			r.Put(rec)
		}
		if err := r.w.step(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAnyToolCanReadTheTables(t *testing.T) {
	path := recordInBatches(t, 5)
	db, err := sql.Open("sqlite", fileURL(path)+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for query, want := range map[string]string{
		"PRAGMA integrity_check":                  "ok",
		"PRAGMA application_id":                   fmt.Sprint(applicationID),
		"PRAGMA user_version":                     fmt.Sprint(Version),
		"SELECT value FROM meta WHERE key='site'": "lab",
		"SELECT count(*) FROM chunk":              "11", // metadata, and five times samples and events
		"SELECT sum(records) FROM chunk_info":     fmt.Sprint(5 * 50 * 11),
		`SELECT min("from") FROM chunk_info`:      "2026-11-30T14:02:05.123Z",
		"SELECT count(*) FROM chunk_info NATURAL JOIN chunk WHERE length(data)=bytes": "11",
	} {
		var got string
		if err := db.QueryRow(query).Scan(&got); err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", query, got, err, want)
		}
	}
}

func TestToolsAcceptTheFileWhileItGrows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c#d%e.whydrop") // what a URL would trip over
	r, err := create(path, Meta{Site: "lab"}, testTuning())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, rec := range samples(0, 50) {
		r.Put(rec)
	}
	for {
		s, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		n := len(s.places)
		s.Close()
		if n > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	db, err := sql.Open("sqlite", fileURL(path)+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var got string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&got); err != nil || got != "ok" {
		t.Errorf("integrity_check with a tail: %q, %v", got, err)
	}
}

func openBytes(b []byte) (*Session, error) { return openAt(bytes.NewReader(b), int64(len(b))) }

// good counts the records that are there and checks that each of them is one that was put.
func good(t *testing.T, s *Session) int {
	t.Helper()
	n := 0
	err := s.Each(func(r timeline.Record) bool {
		n++
		switch r := r.(type) {
		case timeline.Sample:
			if want := numbered(int(r.Origin.Exchange), int(r.Value)-int(r.Origin.Exchange)*1000); r != want {
				t.Fatalf("a damaged file gave a wrong record: %+v", r)
			}
		case timeline.Event:
			if strings.Trim(r.Text, "x") != "" {
				t.Fatalf("a damaged file gave a wrong event: %q", r.Text)
			}
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// extent returns how much of the file must be there for a frame to be whole.
func extent(whole []byte, p place) int64 {
	return int64(sort.Search(len(whole), func(size int) bool {
		b, err := p.read(bytes.NewReader(whole[:size]), nil)
		return err == nil && p.sound(b)
	}))
}

func TestTruncatedFileGivesBackItsPrefix(t *testing.T) {
	path := recordInBatches(t, 30)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const all = 30 * 50 * 11
	places, err := scan(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	ends := map[place]int64{}
	for _, p := range places {
		ends[p] = extent(whole, p)
	}
	before := 0
	for size := 0; size < len(whole); size += 1 + len(whole)/251 {
		s, err := openBytes(whole[:size])
		if err != nil {
			if !errors.Is(err, ErrNotSession) || before > 0 {
				t.Fatalf("%d of %d bytes: %v", size, len(whole), err)
			}
			continue
		}
		n := good(t, s)
		if n < before {
			t.Errorf("%d bytes give %d records, fewer gave %d", size, n, before)
		}
		before = n
		if n < all && len(s.Damage()) == 0 {
			t.Errorf("%d of %d bytes: %d records are missing and no damage is told", size, len(whole), all-n)
		}
		want := 0
		for _, p := range places {
			if ends[p] <= int64(size) {
				want += int(p.records)
			}
		}
		if n != want {
			t.Errorf("%d of %d bytes: %d records read, %d are whole", size, len(whole), n, want)
		}
		s.Close()
	}
	if before < all*8/10 {
		t.Errorf("the last cut gave %d of %d records", before, all)
	}
}

func TestTurnedBitsLoseOneBatchAndAreTold(t *testing.T) {
	path := recordInBatches(t, 30)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const all = 30 * 50 * 11
	flips := 200
	if os.Getenv(killsEnv) != "" {
		flips = 10000
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	harmless := 0
	for range flips {
		b := bytes.Clone(whole)
		at := rnd.IntN(len(b))
		bit := byte(1) << rnd.IntN(8)
		b[at] ^= bit
		s, err := openBytes(b)
		if err != nil {
			t.Fatalf("byte %d, bit %x: %v", at, bit, err)
		}
		n := good(t, s)
		damage := s.Damage()
		switch {
		case n < all-50*10:
			t.Errorf("byte %d, bit %x: %d records lost, more than one batch", at, bit, all-n)
		case n < all && len(damage) == 0:
			t.Errorf("byte %d, bit %x: %d records lost and no damage told", at, bit, all-n)
		case n == all:
			harmless++
		}
		s.Close()
	}
	if harmless == flips {
		t.Error("no turned bit did any harm: the test turns none that matter")
	}
}

func TestManyTurnedBitsNeverPanic(t *testing.T) {
	path := recordInBatches(t, 10)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		b := bytes.Clone(whole)
		for range 1 + rnd.IntN(200) {
			b[rnd.IntN(len(b))] ^= 1 << rnd.IntN(8)
		}
		if s, err := openBytes(b); err == nil {
			good(t, s)
			s.Close()
		}
	}
}

func TestOpenSaysWhatItCannotRead(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	whole, err := os.ReadFile(record(t, Meta{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	newer := bytes.Clone(whole)
	binary.BigEndian.PutUint32(newer[60:], 7)
	newerFrame := bytes.Clone(whole)
	at := bytes.Index(newerFrame, magic[:])
	h, _ := parseHeader(newerFrame[at:])
	h.version = 7
	payload := bytes.Clone(newerFrame[at+headerSize : at+int(h.length())])
	copy(newerFrame[at:], appendFrame(nil, h, payload))
	foreign := bytes.Clone(whole[:pageSize])
	binary.BigEndian.PutUint32(foreign[68:], 1)
	for name, c := range map[string]struct {
		path string
		is   error
		says []string
	}{
		"empty file":                   {file("empty", nil), ErrNotSession, []string{"empty"}},
		"text":                         {file("text", []byte("[ ID] Interval Transfer Bandwidth\n")), ErrNotSession, nil},
		"somebody else's database":     {file("foreign", foreign), ErrNotSession, nil},
		"only the beginning of ours":   {file("begin", whole[:50]), ErrNotSession, []string{"nothing of a recording"}},
		"directory":                    {dir, ErrNotSession, nil},
		"newer frames":                 {file("newer", newerFrame), ErrVersion, []string{"version 7", "up to 1"}},
		"newer, and nothing else left": {file("newer2", append(bytes.Clone(newer[:pageSize]), make([]byte, 100)...)), ErrVersion, []string{"version 7", "up to 1"}},
		"missing":                      {filepath.Join(dir, "none"), os.ErrNotExist, nil},
	} {
		_, err := Open(c.path)
		if !errors.Is(err, c.is) {
			t.Errorf("%s: got %v, want %v", name, err, c.is)
			continue
		}
		for _, s := range append(c.says, c.path) {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %q does not say %q", name, err, s)
			}
		}
	}
	// A bit that turned in the header's version does not make a sound file unreadable.
	s, err := Open(file("turned version", newer))
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

func TestFalseBeginningsEnd(t *testing.T) {
	// Every eight bytes claim to begin a frame of 64 MiB.
	b := append([]byte(sqliteMagic), make([]byte, pageSize-16)...)
	h := header{version: 1, kind: kindTail, first: 1, last: 1, raw: maxPayload, size: maxPayload}
	one := make([]byte, headerSize)
	h.put(one)
	for range 20000 {
		b = append(b, one...)
	}
	path := filepath.Join(t.TempDir(), "hostile")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if _, err := Open(path); !errors.Is(err, ErrNotSession) {
		t.Errorf("got %v", err)
	}
	if d := time.Since(began); d > 10*time.Second {
		t.Errorf("took %v", d)
	}
}

func FuzzDecodeBatch(f *testing.F) {
	b := &batch{}
	for _, r := range everything() {
		b.add(r)
	}
	b.keep(timeline.Exchange{Request: "show", Reply: []byte("x")})
	f.Add(b.encode())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		if b, err := decodeBatch(raw); err == nil {
			b.each(func(timeline.Record) bool { return true })
			b.encode()
		}
	})
}

func FuzzOpen(f *testing.F) {
	whole, err := os.ReadFile(record(f, Meta{Site: "lab"}, everything()))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:pageSize])
	f.Fuzz(func(t *testing.T, content []byte) {
		if s, err := openAt(bytes.NewReader(content), int64(len(content))); err == nil {
			s.Snapshot()
		}
	})
}
