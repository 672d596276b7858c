package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"whydrop/cmd/internal/app"
	"whydrop/cmd/internal/sim"
	"whydrop/correlate/session"
)

// reportVariable makes the command write the reports of the recording that it names, in every format, and nothing else.
const reportVariable = "WHYDROP_FIGURES_REPORT"

func init() {
	path := os.Getenv(reportVariable)
	if path == "" {
		return
	}
	if err := writeReports(os.Stdout, path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func writeReports(w io.Writer, path string) error {
	r, err := app.OpenRecording(path)
	if err != nil {
		return err
	}
	d := r.Document()
	for _, format := range app.FormatNames() {
		if err := app.WriteReport(w, d, format); err != nil {
			return err
		}
	}
	return nil
}

// Places where a report may be read: time zones with odd offsets and summer times, locales with other digits, commas and
// letters.
var (
	zones = []string{"UTC", "America/St_Johns", "Asia/Kathmandu", "Pacific/Chatham", "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Casablanca", "Europe/Berlin", "Pacific/Apia", "XXX-05:47:13"}
	tongs = []string{"C", "de_DE.UTF-8", "tr_TR.UTF-8", "ar_EG.UTF-8", "ja_JP.eucJP", "fa_IR", "hi_IN.UTF-8", "POSIX", "fr_CH@euro"}
)

// same writes the reports of one recording again and again, in processes of other time zones, locales and numbers of
// processors, and compares them byte by byte.
func same(ctx context.Context, out io.Writer, full bool) error {
	times := 5
	if full {
		times = 100
	}
	dir, err := os.MkdirTemp("", "whydrop-same-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "one.whydrop")
	if err := recordStory(ctx, path, sim.Default, 7); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var first []byte
	for i := range times {
		zone, tongue := zones[i%len(zones)], tongs[i%len(tongs)]
		cmd := exec.CommandContext(ctx, self)
		cmd.Env = append(os.Environ(), reportVariable+"="+path, "TZ="+zone, "LANG="+tongue, "LC_ALL="+tongue, fmt.Sprintf("GOMAXPROCS=%d", 1+i%3))
		cmd.Stderr = os.Stderr
		b, err := cmd.Output()
		if err != nil {
			return err
		}
		if first == nil {
			first = b
		}
		if !bytes.Equal(first, b) {
			return fmt.Errorf("%w: the reports differ in zone %s and locale %s", errMissed, zone, tongue)
		}
	}
	fmt.Fprintf(out, "%d times %d bytes of reports (%d formats) of one recording are equal, in %d time zones and %d locales\n",
		times, len(first), len(app.FormatNames()), min(times, len(zones)), min(times, len(tongs)))
	return nil
}

// recordStory tells a story without waiting, into a recording.
func recordStory(ctx context.Context, path, name string, seed uint64) error {
	story, err := sim.Draw(name, seed, sim.Options{})
	if err != nil {
		return err
	}
	begun := time.Date(2026, 3, 29, 0, 59, 50, 0, time.UTC) // summer time begins in Europe while it lasts
	v, err := sim.StartVirtual(story, begun)
	if err != nil {
		return err
	}
	defer v.Close()
	plan, err := app.ParseSite("the simulated site's file", v.YAML(), &app.Secrets{Prompt: v.Secret})
	if err != nil {
		return err
	}
	topology, err := json.Marshal(plan.Topology)
	if err != nil {
		return err
	}
	r, err := session.Create(path, session.Meta{Program: "whydrop", Site: plan.Topology.Site, Started: begun, Topology: topology})
	if err != nil {
		return err
	}
	if err := v.Run(ctx, plan.Devices, r); err != nil {
		r.Close()
		return err
	}
	return r.Close()
}
