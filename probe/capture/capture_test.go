package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// record is one packet of a file.
type record struct {
	at     time.Time
	kept   []byte
	length int
}

// parse reads a file as its specification says, by means of its own.
func parse(t *testing.T, b []byte) (snap int, out []record) {
	t.Helper()
	le := binary.LittleEndian
	if len(b) < headerSize || le.Uint32(b) != magicNanoseconds || le.Uint16(b[4:]) != 2 || le.Uint16(b[6:]) != 4 || le.Uint32(b[20:]) != linkTypeRaw {
		t.Fatalf("no pcap: % x", b[:min(len(b), headerSize)])
	}
	snap = int(le.Uint32(b[16:]))
	for b = b[headerSize:]; len(b) > 0; {
		if len(b) < recordSize {
			t.Fatalf("%d octets behind the last packet", len(b))
		}
		n := int(le.Uint32(b[8:]))
		if len(b) < recordSize+n {
			t.Fatal("the last packet is cut short")
		}
		out = append(out, record{time.Unix(int64(le.Uint32(b)), int64(le.Uint32(b[4:]))), b[recordSize:][:n], int(le.Uint32(b[12:]))})
		b = b[recordSize+n:]
	}
	return snap, out
}

func TestAFileHoldsWhatWasPutIntoIt(t *testing.T) {
	var b bytes.Buffer
	f := newFile(&b, 96, 1000)
	at := time.Unix(1700000000, 123456789)
	f.add(at, []byte("first"), 1500)
	f.add(at.Add(time.Second), []byte("second packet"), 13)
	if err := f.flush(); err != nil {
		t.Fatal(err)
	}
	snap, got := parse(t, b.Bytes())
	if snap != 96 || len(got) != 2 || string(got[0].kept) != "first" || got[0].length != 1500 || !got[0].at.Equal(at) || got[1].length != 13 {
		t.Errorf("snap %d, %+v", snap, got)
	}
}

func TestAFullFileEndsAtOneMoment(t *testing.T) {
	var b bytes.Buffer
	const limit = 200
	f := newFile(&b, 96, limit)
	for range 3 {
		f.add(time.Unix(1, 0), make([]byte, 60), 60)
	}
	f.add(time.Unix(1, 0), make([]byte, 1), 1) // it would fit, but others before it did not
	if err := f.flush(); err != nil {
		t.Fatal(err)
	}
	if _, got := parse(t, b.Bytes()); len(got) != 2 || b.Len() > limit {
		t.Errorf("%d packets in %d octets", len(got), b.Len())
	}
	if want := (Stats{Kept: 2, Left: 2}); f.stats != want {
		t.Errorf("got %+v, want %+v", f.stats, want)
	}
	if got, want := f.stats.String(), "2 packets captured, 2 more did not fit into the file"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestADiskThatIsFullIsAnError(t *testing.T) {
	f := newFile(full{}, 96, defaultLimit)
	for range 2000 {
		f.add(time.Unix(1, 0), make([]byte, 96), 96)
	}
	if err := f.flush(); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("got %v", err)
	}
	if f.stats.Left == 0 {
		t.Error("nothing was left out")
	}
}

func TestOpenNamesWhatIsWrong(t *testing.T) {
	to := netip.MustParseAddr("192.0.2.1")
	for _, c := range []struct {
		name string
		cfg  Config
		want string
	}{
		{"no far end", Config{}, "address is missing"},
		{"a negative length", Config{To: to, Snap: -1}, "octets of each packet"},
		{"a file of nothing", Config{To: to, Limit: 10}, "too short"},
		{"too many ports", Config{To: to, Ports: make([]uint16, 33)}, "33 ports"},
	} {
		if _, err := Open(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}
