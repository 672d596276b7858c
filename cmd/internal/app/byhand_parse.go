package app

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"whydrop/cmd/internal/report"
	"whydrop/devices/cli"
	"whydrop/devices/parse"
	"whydrop/devices/parse/guess"
)

// ParseOptions says what capture is read. What is "" is found out where that is possible.
type ParseOptions struct {
	File     string // "-": standard input
	Platform string
	Command  string
	In       io.Reader // of standard input
	Out      io.Writer
}

// captureMax bounds a capture.
const captureMax = 64 << 20

// parsedCapture is the document of a capture.
type parsedCapture struct {
	SchemaVersion int             `json:"schema_version"`
	File          string          `json:"file"`
	Sections      []parsedSection `json:"sections"`
	Others        []string        `json:"other_platforms"` // whose it may be as well
	Unused        []string        `json:"not_recognised"`  // commands without a parser
}

// parsedSection is one command's output.
type parsedSection struct {
	Platform string   `json:"platform"`
	Command  string   `json:"command"`
	Found    string   `json:"found"` // how platform and command are known: given, prompt, header, content
	Lines    [2]int   `json:"lines"` // the first and the last, from 1
	Reading  any      `json:"reading"`
	Unread   []string `json:"unread"` // lines that were not understood
}

// Parse prints what a capture contains as JSON. It returns an Exit: ExitNotMeasured if nothing was recognised.
func Parse(o ParseOptions) error {
	b, err := readCapture(o)
	if err != nil {
		return Exit{CodeOf(err), err}
	}
	if o.Platform != "" && parse.Parsers[parse.Canonical(o.Platform)] == nil {
		return Usagef("--platform: %q is none of %s", o.Platform, strings.Join(cli.Names(), ", "))
	}
	text := strings.ReplaceAll(string(b), "\x00", "") // Telnet puts them behind carriage returns
	text = strings.ReplaceAll(text, "\r\n", "\n")
	doc := parsedCapture{SchemaVersion: 1, File: report.Clean(o.File), Sections: []parsedSection{}, Others: []string{}, Unused: []string{}}
	sections := sectionsOf(text, o)
	platform, others := platformOf(o, text, sections)
	doc.Others = append(doc.Others, others...)
	for _, s := range sections {
		p, ok := s.parse(platform)
		if !ok {
			if s.command != "" {
				doc.Unused = append(doc.Unused, report.Clean(s.command))
			}
			continue
		}
		doc.Sections = append(doc.Sections, p)
	}
	enc := json.NewEncoder(o.Out)
	enc.SetIndent("", "\t")
	if err := enc.Encode(doc); err != nil {
		return Exit{ExitNotMeasured, err}
	}
	if len(doc.Sections) == 0 {
		return Exit{ExitNotMeasured, fmt.Errorf("%s: nothing was recognised; --platform and --command say what it is (platforms: %s)", o.File, strings.Join(cli.Names(), ", "))}
	}
	return nil
}

func readCapture(o ParseOptions) ([]byte, error) {
	in := o.In
	if o.File != "-" {
		f, err := openNamed(o.File)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, captureMax+1))
	if err == nil && !utf8.Valid(b) && bytes.IndexByte(b, 0) >= 0 {
		err = Exit{ExitNotMeasured, fmt.Errorf("%s: is no text", o.File)}
	}
	if err == nil && len(b) > captureMax {
		err = fmt.Errorf("%s: longer than %d bytes", o.File, captureMax)
	}
	return b, err
}

// section is a part of a capture that is one command's output.
type section struct {
	command, found string
	text           string
	first, last    int // lines
}

// Captures show a command behind the device's prompt, or in a line of their head: "# command: show interfaces".
var (
	promptLine  = regexp.MustCompile(`^[\w.@/:~()\[\]<>* -]{0,64}[#>$%\]]\s*((?:show|display|dis|sh|do show|get|diagnose|ip|ethtool|bridge|journalctl|dmesg|arp|/?interface|/?ip|/?log|/?system)\s+[^\s=:].*)$`)
	commandLine = regexp.MustCompile(`(?i)^[#!;/ ]*command:\s*["` + "`" + `]?([a-z][^"` + "`" + `]*)["` + "`" + `]?\s*$`)
)

// sectionsOf cuts a capture where a command stands. Without any it is one section.
// What stands before the first prompt is left out: greetings.
func sectionsOf(text string, o ParseOptions) []section {
	var out []section
	prompted := false
	cur := section{command: o.Command, found: "given", first: 1}
	if o.Command == "" {
		cur.found = "content"
	}
	var b strings.Builder
	n := 0
	end := func() {
		if cur.text = b.String(); strings.TrimSpace(cur.text) != "" {
			cur.last = n
			out = append(out, cur)
		}
		b.Reset()
	}
	for line := range strings.Lines(text) {
		n++
		plain := strings.TrimRight(line, "\n ")
		if m := promptLine.FindStringSubmatch(plain); m != nil && o.Command == "" {
			n--
			end()
			n++
			if !prompted && cur.found == "content" {
				out = nil
			}
			prompted = true
			cur = section{command: fullCommand(m[1]), found: "prompt", first: n + 1}
			continue
		}
		if m := commandLine.FindStringSubmatch(plain); m != nil && o.Command == "" {
			cur.command, cur.found = fullCommand(m[1]), "header"
			continue
		}
		b.WriteString(line)
	}
	end()
	return out
}

// fullCommand writes out the short forms that people type, and drops a filter behind a bar.
func fullCommand(s string) string {
	s, _, _ = strings.Cut(s, "|")
	words := strings.Fields(strings.TrimPrefix(strings.TrimPrefix(s, "do "), "/"))
	if len(words) > 0 {
		words[0] = cmp.Or(map[string]string{"sh": "show", "dis": "display"}[words[0]], words[0])
	}
	if len(words) > 1 && slices.Contains([]string{"int", "inter", "interf"}, words[1]) {
		words[1] = "interfaces"
	}
	return strings.Join(words, " ")
}

// parse reads the section with the platform's parser for its command, or with the one that makes the most of it.
func (s section) parse(platform string) (parsedSection, bool) {
	best := guess.Best(platform, s.text, s.commands())
	if best.Worth == 0 {
		return parsedSection{}, false
	}
	unread := cleaned(best.Unread)
	best.Unread = nil
	return parsedSection{Platform: platform, Command: report.Clean(best.Command), Found: s.found, Lines: [2]int{s.first, s.last}, Reading: plainReading(best.Reading), Unread: unread}, true
}

// platformOf returns the platform of a capture: the one that is given, or the one that its text tells. others are those
// whose text it may be as well.
func platformOf(o ParseOptions, whole string, sections []section) (platform string, others []string) {
	if o.Platform != "" {
		return parse.Canonical(o.Platform), nil
	}
	if platform, others = guess.Platform(whole); platform != "" {
		return platform, others
	}
	most := 0
	for _, name := range slices.Sorted(maps.Keys(parse.Parsers)) { // what the commands alone tell
		worth := 0
		for _, s := range sections {
			worth += guess.Best(name, s.text, s.commands()).Worth
		}
		if worth > most {
			platform, most = name, worth
		}
	}
	return platform, nil
}

// commands lists the spellings of the section's command; nil if it is not known.
func (s section) commands() []string {
	if s.command == "" {
		return nil
	}
	// "show interface" and "show interfaces" are one command to most devices.
	return []string{s.command, strings.Replace(s.command, "show interface ", "show interfaces ", 1), strings.TrimSuffix(strings.Replace(s.command+" ", "show interface ", "show interfaces ", 1), " "),
		strings.Replace(s.command, "show interfaces", "show interface", 1), s.command + " without-paging"}
}
