package sim

import (
	"reflect"
	"slices"
	"testing"
	"time"
)

func TestEveryTaleIsDrawnLegally(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 3
	}
	seen := map[string]bool{}
	for _, name := range Stories() {
		if seen[name] {
			t.Errorf("two scenarios are called %s", name)
		}
		seen[name] = true
		for seed := range seeds {
			for _, opt := range []Options{{}, {Quick: true}} {
				if opt.Quick && !slices.Contains(Sockets(), name) {
					continue
				}
				s := draw1(t, name, seed, opt)
				if s.Length < 5*time.Second || s.Length > 3*time.Minute {
					t.Errorf("%s, seed %d: lasts %v", name, seed, s.Length)
				}
				if len(s.Truth.Chain) > 0 && s.Truth.Device+s.Truth.Port == "" {
					t.Errorf("%s, seed %d: %v at nothing", name, seed, s.Truth.Chain)
				}
				for _, x := range s.trials {
					if x.at < 0 || x.at+x.length > s.Length {
						t.Errorf("%s, seed %d: a trial at %v in a story of %v", name, seed, x.at, s.Length)
					}
				}
				if again := draw1(t, name, seed, opt); !reflect.DeepEqual(again.Truth, s.Truth) || again.Length != s.Length {
					t.Errorf("%s, seed %d: drawn twice, %+v and %+v", name, seed, s.Truth, again.Truth)
				}
			}
		}
	}
	for _, name := range Sockets() {
		if s := draw1(t, name, 1, Options{}); len(s.trials) > 0 {
			t.Errorf("%s is told over sockets, where nobody makes its trials", name)
		}
	}
}

func TestTrialsComeOutAsThePathIs(t *testing.T) {
	s := draw1(t, "healthy", 1, Options{})
	base := s.path.base
	for _, c := range []struct {
		name  string
		trial trial
		path  func(*condition)
		want  map[string]string // "": absent
	}{
		{"nothing is lost", trial{proto: "udp", offered: 10e6}, nil, map[string]string{"rate_bps": "10000000", "loss_ratio": "0", "host_drops": ""}},
		{"a policer discards", trial{proto: "udp", offered: 40e6}, func(c *condition) { c.limit[forward] = 10e6 }, map[string]string{"rate_bps": "10000000", "loss_ratio": "0.75"}},
		{"bursts lose", trial{proto: "udp", offered: 10e6}, func(c *condition) { c.burst[forward] = 0.5 }, map[string]string{"loss_ratio": "0.5"}},
		{"paced passes", trial{proto: "udp", offered: 10e6, paced: true}, func(c *condition) { c.burst[forward] = 0.5 }, map[string]string{"loss_ratio": "0", "paced": "true"}},
		{"the other way passes", trial{proto: "udp", way: reverse, offered: 40e6}, func(c *condition) { c.limit[forward] = 10e6 }, map[string]string{"loss_ratio": "0", "direction": "reverse"}},
		{"too long", trial{proto: "ping", size: 1500}, func(c *condition) { c.fits = 1400 }, map[string]string{"loss_ratio": "1", "df": "true"}},
		{"short enough", trial{proto: "ping", size: 1400}, func(c *condition) { c.fits = 1400 }, map[string]string{"loss_ratio": "0"}},
		{"the host has no room", trial{proto: "udp", offered: 20e6, length: time.Second}, func(c *condition) { c.takes = 8416000 }, map[string]string{"rate_bps": "8416000", "host_drops": "1000"}},
		{"what is switched changes the path", trial{proto: "udp", offered: 10e6, switched: func(c *condition) { c.loss[forward] = 0 }}, func(c *condition) { c.loss[forward] = 0.5 }, map[string]string{"loss_ratio": "0"}},
		{"a flow holds to its share", trial{proto: "tcp", streams: 4}, func(c *condition) { c.perFlow = 10e6 }, map[string]string{"rate_bps": "40000000", "retransmits": "0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := base
			if c.path != nil {
				c.path(&path)
			}
			got := c.trial.result(s, path)
			for k, want := range c.want {
				if got[k] != want {
					t.Errorf("%s is %q, want %q", k, got[k], want)
				}
			}
		})
	}
}

func TestASearchForASizeEndsAtTheLimit(t *testing.T) {
	for _, limit := range []int{577, 1400, 1499} {
		list := search(limit, 576, 1500)
		if !slices.Contains(list, limit) || !slices.Contains(list, limit+1) {
			t.Errorf("a limit of %d: tried %v", limit, list)
		}
	}
}

func TestAnAgentThatRefreshesSeldomShowsOldNumbers(t *testing.T) {
	p := &port{refresh: 5 * time.Second}
	p.flows = []flow{{inOctets, 0, forever, 100}}
	p.live[inOctets].Store(7)
	if a, b := p.count(inOctets, 5*time.Second), p.count(inOctets, 9*time.Second); a != 507 || b != a {
		t.Errorf("after 5 s %d, after 9 s %d, want 507 both", a, b)
	}
	p.live[inOctets].Store(9)
	if got := p.count(inOctets, 10*time.Second); got != 1009 {
		t.Errorf("after 10 s %d, want 1009", got)
	}
}
