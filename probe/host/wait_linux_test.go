package host

import (
	"os"
	"testing"
	"time"
)

func TestAThreadsWaitIsRead(t *testing.T) {
	for _, tt := range []struct {
		name string
		text string
		want time.Duration // -1: refused
	}{
		{"ran, waited, how often", "628996 78512 2\n", 78512},
		{"no figures", "\n", -1},
		{"a wait that is no number", "1 x 2\n", -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseSchedstat([]byte(tt.text))
			if tt.want < 0 != (err != nil) || err == nil && got != tt.want {
				t.Errorf("got %v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

func TestQuotasOfControlGroupsAreAddedUp(t *testing.T) {
	for _, tt := range []struct {
		name   string
		groups string
		files  map[string]string
		want   time.Duration
		known  bool
	}{
		{"version 2, a group and the one above", "0::/pod/box\n", map[string]string{
			"/sys/fs/cgroup/pod/box/cpu.stat": "usage_usec 9\nnr_throttled 3\nthrottled_usec 2000\n",
			"/sys/fs/cgroup/pod/cpu.stat":     "throttled_usec 500\n",
			"/sys/fs/cgroup/cpu.stat":         "usage_usec 99\n",
		}, 2500 * time.Microsecond, true},
		{"version 1", "3:memory:/m\n1:cpu,cpuacct:/box\n0::/\n", map[string]string{
			"/sys/fs/cgroup/cpu,cpuacct/box/cpu.stat": "nr_periods 4\nnr_throttled 2\nthrottled_time 7000\n",
		}, 7000, true},
		{"a container sees its own group as the root", "0::/host/path\n", map[string]string{
			"/sys/fs/cgroup/cpu.stat": "throttled_usec 3\n",
		}, 3 * time.Microsecond, true},
		{"no group tells", "0::/\n", nil, 0, false},
		{"no groups", "", nil, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, known := throttled([]byte(tt.groups), func(name string) ([]byte, error) {
				if text, ok := tt.files[name]; ok {
					return []byte(text), nil
				}
				return nil, os.ErrNotExist
			})
			if got != tt.want || known != tt.known {
				t.Errorf("got %v, %v; want %v, %v", got, known, tt.want, tt.known)
			}
		})
	}
}
