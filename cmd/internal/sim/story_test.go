package sim

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whydrop/correlate/timeline"
)

func draw1(t *testing.T, name string, seed uint64, opt Options) *Story {
	t.Helper()
	s, err := Draw(name, seed, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEqualSeedsTellEqualStories(t *testing.T) {
	for _, name := range Names() {
		a, b := draw1(t, name, 42, Options{}), draw1(t, name, 42, Options{})
		if !reflect.DeepEqual(a.Truth, b.Truth) || a.Length != b.Length || a.offered != b.offered {
			t.Errorf("%s: %+v and %+v", name, a.Truth, b.Truth)
		}
		for i, d := range a.devices() {
			e := b.devices()[i]
			if d.name != e.name || d.password != e.password || d.offset != e.offset || !reflect.DeepEqual(d.log, e.log) || portNames(d.off) != portNames(e.off) {
				t.Errorf("%s: device %d differs: %s and %s", name, i, d.name, e.name)
			}
		}
	}
}

func TestHundredSeedsTellDistinctLegalStories(t *testing.T) {
	for _, name := range Names() {
		seen := map[string]bool{}
		for seed := range uint64(100) {
			for _, opt := range []Options{{}, {Quick: true}} {
				s := draw1(t, name, seed, opt)
				legal(t, s)
				if !opt.Quick {
					seen[fmt.Sprint(s.site, s.near.name, s.far.name, s.near.on[0].name, s.Truth, s.offered, s.path.base.delay)] = true
				}
			}
		}
		if len(seen) != 100 {
			t.Errorf("%s: 100 seeds tell %d stories", name, len(seen))
		}
	}
}

// legal checks what holds for every story.
func legal(t *testing.T, s *Story) {
	t.Helper()
	bad := func(format string, args ...any) {
		t.Errorf("%s, seed %d: %s", s.Name, s.Seed, fmt.Sprintf(format, args...))
	}
	if limit := 45 * time.Second; s.Length > limit || s.quick && s.Length > 12*time.Second {
		bad("lasts %v", s.Length)
	}
	names := map[string]bool{}
	for _, d := range s.devices() {
		if names[d.name] {
			bad("two devices are called %s", d.name)
		}
		names[d.name] = true
		ports := map[string]bool{}
		for _, p := range d.ports {
			if ports[p.name] {
				bad("%s has two ports %s", d.name, p.name)
			}
			ports[p.name] = true
			if !s.quick && s.Seed%5 == 0 {
				counts(t, s, d, p)
			}
		}
		for _, p := range d.off {
			if slices.Contains(d.on, p) || slices.Contains(s.path.ports(), p) {
				bad("%s %s is a distractor on the path", d.name, p.name)
			}
		}
		if !slices.IsSortedFunc(d.log, func(a, b logLine) int { return int(a.at - b.at) }) {
			bad("%s logs out of order", d.name)
		}
	}
	if n := len(s.near.off) + len(s.far.off); n != 2 {
		bad("%d distractors", n)
	}
	for _, o := range s.Truth.Outages {
		if o.To <= o.From || o.To-o.From < 100*time.Millisecond || o.From < 3*time.Second || o.To > s.Length-3*time.Second {
			bad("outage %+v in %v", o, s.Length)
		}
	}
	for _, m := range s.Truth.Events {
		if m.At < 0 || m.At > s.Length-3*time.Second || !names[m.Device] {
			bad("moment %+v in %v", m, s.Length)
		}
	}
	switch {
	case s.Name == "healthy":
		if len(s.Truth.Chain)+len(s.Truth.Outages) > 0 || s.Truth.Device != "" {
			bad("is not healthy: %+v", s.Truth)
		}
	case len(s.Truth.Chain) == 0 || s.Truth.Chain[0] != s.Name:
		bad("expects %v", s.Truth.Chain)
	case s.Truth.Port != "":
		if !slices.ContainsFunc(s.path.ports(), func(p *port) bool { return p.ifName() == s.Truth.Port && s.deviceOf(p).name == s.Truth.Device }) {
			bad("blames %s %s, which is not on the path", s.Truth.Device, s.Truth.Port)
		}
	}
}

// counts checks that no counter of a port ever falls.
func counts(t *testing.T, s *Story, d *device, p *port) {
	t.Helper()
	for c := range counters {
		last := uint64(0)
		for at := time.Duration(0); at <= s.Length; at += 700 * time.Millisecond {
			n := p.count(c, at)
			if n < last {
				t.Errorf("%s, seed %d: %s %s: counter %d falls from %d to %d at %v", s.Name, s.Seed, d.name, p.name, c, last, n, at)
			}
			last = n
		}
	}
}

func TestADrawnOutageIsOneOfThePath(t *testing.T) {
	for _, name := range Names() {
		for seed := range uint64(20) {
			s := draw1(t, name, seed, Options{})
			for _, o := range s.Truth.Outages {
				c := s.path.at(o.From + (o.To-o.From)/2)
				ways := map[string][]way{timeline.Forward: {forward}, timeline.Reverse: {reverse}, timeline.Both: {forward, reverse}}[o.Direction]
				for _, w := range ways {
					if o.SeenBy == timeline.SeenByHeartbeat && !c.dark[w] {
						t.Errorf("%s, seed %d: %+v, but the path carries datagrams then", name, seed, o)
					}
				}
				if o.SeenBy == timeline.SeenByTCP && c.stalled == 0 && !c.dark[forward] {
					t.Errorf("%s, seed %d: %+v, but the path carries established flows then", name, seed, o)
				}
			}
		}
	}
}

func TestUnknownScenarioIsRefused(t *testing.T) {
	if _, err := Draw("earthquake", 1, Options{}); err == nil {
		t.Error("no error")
	}
}

var update = flag.Bool("update", false, "rewrite the golden files")

// A seed's story is the same in every version of the program that does not mean to change it. The files lie at
// testdata/sites, a site file and the truth for each scenario; ports and keys are those of a site that runs.
func TestStoriesOfTheFirstSeedAreThoseOnFile(t *testing.T) {
	for _, name := range Names() {
		s := draw1(t, name, 1, Options{})
		at := sockets{tcp: 5201, udp: 5202}
		for i := range s.devices() {
			at.devices = append(at.devices, deviceSockets{uint16(1161 + i), uint16(2201 + i), "SHA256:made-when-the-site-starts"})
		}
		truth, err := json.MarshalIndent(struct {
			Scenario string
			Seed     uint64
			Length   string
			Truth    Truth
		}{name, s.Seed, s.Length.String(), s.Truth}, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		head := []byte("# The site of `whydrop demo " + name + " --seed 1`, but for its ports and keys.\n")
		for file, got := range map[string][]byte{"site.yaml": append(head, s.yaml(at)...), "truth.json": append(truth, '\n')} {
			path := filepath.Join("..", "..", "..", "testdata", "sites", name, file)
			if *update {
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, got, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}
	}
}
