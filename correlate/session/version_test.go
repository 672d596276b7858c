package session

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"whydrop/correlate/timeline"
)

var update = flag.Bool("update", false, "write the samples of the current format version anew")

// samplesDir holds one directory per format version. Those of older versions are never rewritten.
const samplesDir = "../../testdata/sessions"

var sampleMeta = Meta{Program: "whydrop", Site: "lab", Started: t0, Topology: json.RawMessage(`{"site":"lab","paths":[],"devices":[]}`), Notes: []string{"a note"}}

var sampleExchange = timeline.Exchange{Origin: timeline.Origin{Collector: "ssh:sw1", Exchange: 1}, Subject: timeline.Device("sw1"),
	Span: timeline.Span{From: t0, To: t0.Add(80 * time.Millisecond)}, Request: "show interfaces", Reply: []byte("GigabitEthernet1/0/1 is up, line protocol is up (connected)\r\n")}

func sampleRecords() []timeline.Record { return append(everything(), samples(0, 60)...) }

func TestSamplesOfEveryVersionAreRead(t *testing.T) {
	if *update {
		writeSamples(t, filepath.Join(samplesDir, fmt.Sprintf("v%d", Version)))
	}
	for v := 1; v <= Version; v++ {
		for name, complete := range map[string]bool{"closed": true, "killed": false} {
			path := filepath.Join(samplesDir, fmt.Sprintf("v%d", v), name+".session")
			got := load(t, path)
			if d := gocmp.Diff(ordered(sampleRecords()), ordered(got.records)); d != "" {
				t.Errorf("%s: records (-want +got):\n%.3000s", path, d)
			}
			if d := gocmp.Diff([]timeline.Exchange{sampleExchange}, got.exchanges); d != "" {
				t.Errorf("%s: exchanges (-want +got):\n%s", path, d)
			}
			if d := gocmp.Diff(sampleMeta, got.meta); d != "" {
				t.Errorf("%s: meta (-want +got):\n%s", path, d)
			}
			if len(got.damage) > 0 || got.complete != complete {
				t.Errorf("%s: damage %q, complete %v", path, got.damage, got.complete)
			}
		}
	}
}

// writeSamples records the same once to its end, and once copied before it was closed: sealed frames and tail
// frames behind the database.
func writeSamples(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.whydrop")
	tune := defaults
	tune.flush = time.Hour // driven by hand
	r, err := create(path, sampleMeta, tune)
	if err != nil {
		t.Fatal(err)
	}
	all := sampleRecords()
	for i, part := range [][]timeline.Record{all[:300], all[300:500], all[500:]} {
		for _, rec := range part {
			r.Put(rec)
		}
		if i == 0 {
			r.Keep(sampleExchange)
		}
		if err := r.w.flush(r); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			if err := r.w.seal(); err != nil {
				t.Fatal(err)
			}
		}
	}
	replace(t, path, filepath.Join(dir, "killed.session"))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	replace(t, path, filepath.Join(dir, "closed.session"))
}

func replace(t *testing.T, from, to string) {
	t.Helper()
	if err := copyFile(from, to); err != nil {
		t.Fatal(err)
	}
}
