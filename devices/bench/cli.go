package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"whydrop/devices/internal/corpus"
)

// cli compares what the parsers read with what other projects read in the same captures. The argument is a platform,
// or a part of a folder's name. --full prints every exception and every field that is left out, --quick the first of
// each platform.
func cli(full bool, args []string) error {
	root, err := corpus.Root()
	if err != nil {
		return fmt.Errorf("no captures beside the checkout: %w", err)
	}
	var total corpus.Result
	byPlatform := map[string]*corpus.Result{}
	for _, s := range corpus.Sets {
		if len(args) > 0 && s.Platform != args[0] && !strings.Contains(s.Dir, args[0]) {
			continue
		}
		r, err := corpus.Compare(root, s)
		if err != nil {
			return err
		}
		if byPlatform[s.Platform] == nil {
			byPlatform[s.Platform] = &corpus.Result{}
		}
		byPlatform[s.Platform].Add(r)
		total.Add(r)
		fmt.Printf("%-14s %-34s %3d files %5d/%d headers %6d/%d fields %7.2f %%\n", s.Platform, s.Dir, r.Files, r.Found, r.Headers, r.Equal, r.Fields, share(r))
	}
	for _, platform := range slices.Sorted(maps.Keys(byPlatform)) {
		exceptions(platform, byPlatform[platform], full)
	}
	fmt.Printf("all: headers %d of %d, fields %d of %d (%.2f %%), exceptions %d, zero for unknown %d\n",
		total.Found, total.Headers, total.Equal, total.Fields, share(total), len(total.Wrong), len(total.ZeroForUnknown))
	for _, e := range total.ZeroForUnknown {
		fmt.Println("  zero for unknown:", e)
	}
	if full {
		fmt.Println("left out of the denominator:")
		for _, name := range slices.Sorted(maps.Keys(total.Left)) {
			fmt.Printf("  %5d %s\n", total.Left[name], name)
		}
	}
	switch {
	case total.Found != total.Headers:
		return errors.New("not every header is an interface")
	case share(total) < 99:
		return errors.New("fewer than 99 % of the fields are equal")
	case len(total.ZeroForUnknown) > 0:
		return errors.New("0 is read where there is no value")
	}
	return nil
}

// exceptions prints what differs.
func exceptions(platform string, r *corpus.Result, full bool) {
	const few = 10
	for i, e := range r.Wrong {
		if i == few && !full {
			fmt.Printf("  %s: and %d more (--full)\n", platform, len(r.Wrong)-few)
			break
		}
		fmt.Printf("  %s: %s\n", platform, e)
	}
}

func share(r corpus.Result) float64 {
	if r.Fields == 0 {
		return 100
	}
	return 100 * float64(r.Equal) / float64(r.Fields)
}
