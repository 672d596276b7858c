package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices/syslog"
)

// syslogCorpus is where log lines of other projects lie beside the checkout.
const syslogCorpus = "../shared/corpus/syslog"

// matters finds the lines that tell of links, spanning tree, redundancy and ports shut by the device, by words
// that are none of the parser's.
var matters = regexp.MustCompile(`(?i)(changed state to|link.?(is|state|status|_down|_up)|LINK_STATE|IF_(UP|DOWN|STATE)|PORT_INDIVIDUAL_DOWN|is now (on|off)-line|, state (up|down)|Ethernet Link Down|LACP_INTF_DOWN|SPANTREE|SPANNING|topology change|HSRP|VRRP|GLBP|failover|err.?disab|has disabled port|disabled - loop)`)

// portless are lines that matter and are about no port: the two units of a pair.
var portless = regexp.MustCompile(`%(ASA|FTD)-1-10[345]\d{3}`)

// lines counts what of the corpus is kept, and of what matters how much is typed with device and port.
func lines(_ bool, _ []string) error {
	files, err := filepath.Glob(filepath.Join(syslogCorpus, "*", "*.*"))
	if err != nil || len(files) == 0 {
		fmt.Println("no log lines at", syslogCorpus)
		return nil
	}
	received := time.Date(2026, 11, 30, 14, 2, 6, 0, time.UTC)
	all, kept, matter, typed := 0, 0, 0, 0
	var exceptions []string
	for _, file := range files {
		if !slices.Contains([]string{".log", ".msg", ".ini"}, filepath.Ext(file)) {
			continue
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, line := range syslog.Unwrap(strings.Split(string(b), "\n")) {
			line = strings.TrimRight(line, "\r\n")
			if _, pass, ok := strings.Cut(line, " pass = "); ok {
				line = pass
			} else if filepath.Ext(file) == ".ini" {
				continue
			}
			if strings.TrimSpace(line) == "" {
				continue
			}
			all++
			l := syslog.Parse(line, received)
			if l.Text == line && l.Message != "" {
				kept++
			}
			if !matters.MatchString(line) {
				continue
			}
			matter++
			if l.Type != "" && l.Type != timeline.EventSyslog && (l.Port != "" || l.Type == timeline.EventMACMove || portless.MatchString(line)) {
				typed++
				continue
			}
			exceptions = append(exceptions, fmt.Sprintf("%s: %.160s", filepath.Base(file), line))
		}
	}
	fmt.Printf("%d lines, kept %d (%.2f %%)\n", all, kept, percent(kept, all))
	fmt.Printf("%d tell of links, spanning tree, redundancy or ports shut; typed with their port %d (%.2f %%)\n", matter, typed, percent(typed, matter))
	for _, e := range exceptions {
		fmt.Println("  not typed:", e)
	}
	if kept < all {
		return fmt.Errorf("%d lines were not kept", all-kept)
	}
	if percent(typed, matter) < 95 {
		return fmt.Errorf("typed %.2f %%, want 95", percent(typed, matter))
	}
	return nil
}
