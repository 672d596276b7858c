package app

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Version returns the version this program was built as: that of its module, which tells revision and time of a build from
// a checkout, else the revision, else "devel".
func Version() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(info)
}

// VersionLine is Version with what it was built by and for, and says where the build knows no version.
func VersionLine() string {
	v := Version()
	if v == unstamped {
		v += " (built without a revision: go build in a checkout, without -buildvcs=false, has one)"
	}
	return fmt.Sprintf("%s, %s, %s/%s", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// unstamped is the version of a build that knows none.
const unstamped = "devel"

func versionOf(info *debug.BuildInfo) string {
	if info == nil {
		return unstamped
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	v := unstamped
	if r := setting["vcs.revision"]; r != "" {
		v += "-" + r[:min(len(r), 12)]
	}
	if setting["vcs.modified"] == "true" {
		v += "+dirty"
	}
	if t := setting["vcs.time"]; t != "" {
		v += " of " + t
	}
	return v
}
