package corpus

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Figure compares all sets, or those of a platform or a folder that only names, and writes what came of it to w:
// every exception if full, else the first of each platform. The error says which of the aims is not met: every header
// is an interface, 99 % of the fields are equal, 0 is never read for what is unknown.
func Figure(w io.Writer, root string, full bool, only string) error {
	var total Result
	byPlatform := map[string]*Result{}
	for _, s := range Sets {
		if only != "" && s.Platform != only && !strings.Contains(s.Dir, only) {
			continue
		}
		r, err := Compare(root, s)
		if err != nil {
			return err
		}
		if byPlatform[s.Platform] == nil {
			byPlatform[s.Platform] = &Result{}
		}
		byPlatform[s.Platform].Add(r)
		total.Add(r)
		fmt.Fprintf(w, "%-14s %-34s %3d files %5d/%d headers %6d/%d fields %7.2f %%\n", s.Platform, s.Dir, r.Files, r.Found, r.Headers, r.Equal, r.Fields, r.Share())
	}
	for _, platform := range slices.Sorted(maps.Keys(byPlatform)) {
		exceptions(w, platform, byPlatform[platform], full)
	}
	fmt.Fprintf(w, "all: headers %d of %d, fields %d of %d (%.2f %%), exceptions %d, zero for unknown %d\n",
		total.Found, total.Headers, total.Equal, total.Fields, total.Share(), len(total.Wrong), len(total.ZeroForUnknown))
	for _, e := range total.ZeroForUnknown {
		fmt.Fprintln(w, "  zero for unknown:", e)
	}
	if full {
		fmt.Fprintln(w, "left out of the denominator:")
		for _, name := range slices.Sorted(maps.Keys(total.Left)) {
			fmt.Fprintf(w, "  %5d %s\n", total.Left[name], name)
		}
	}
	switch {
	case total.Found != total.Headers:
		return errors.New("not every header is an interface")
	case total.Share() < 99:
		return errors.New("fewer than 99 % of the fields are equal")
	case len(total.ZeroForUnknown) > 0:
		return errors.New("0 is read where there is no value")
	}
	return nil
}

// exceptions prints what differs.
func exceptions(w io.Writer, platform string, r *Result, full bool) {
	const few = 10
	for i, e := range r.Wrong {
		if i == few && !full {
			fmt.Fprintf(w, "  %s: and %d more (--full)\n", platform, len(r.Wrong)-few)
			break
		}
		fmt.Fprintf(w, "  %s: %s\n", platform, e)
	}
}

// Share returns how many percent of the fields are equal.
func (r Result) Share() float64 {
	if r.Fields == 0 {
		return 100
	}
	return 100 * float64(r.Equal) / float64(r.Fields)
}
