package app

import (
	"runtime/debug"
	"testing"
)

func TestTheVersionIsTheBestThatTheBuildKnows(t *testing.T) {
	stamps := []debug.BuildSetting{{Key: "vcs.revision", Value: "76a25c91ca73c1a99565c8887981ff85ff2766a3"}, {Key: "vcs.time", Value: "2026-11-30T21:49:29Z"}, {Key: "vcs.modified", Value: "true"}}
	for name, c := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"nothing is known":            {nil, "devel"},
		"go run":                      {&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "devel"},
		"a release":                   {&debug.BuildInfo{Main: debug.Module{Version: "v1.2.0"}, Settings: stamps}, "v1.2.0"},
		"a checkout with changes":     {&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: stamps}, "devel-76a25c91ca73+dirty of 2026-11-30T21:49:29Z"},
		"a checkout as it was stored": {&debug.BuildInfo{Settings: stamps[:2]}, "devel-76a25c91ca73 of 2026-11-30T21:49:29Z"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := versionOf(c.info); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
