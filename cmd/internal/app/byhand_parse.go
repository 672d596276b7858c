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
	"time"
	"unicode/utf8"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/cli"
	"whydrop/devices/parse"
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
	promptLine  = regexp.MustCompile(`^[\w.@/:~()\[\] -]{1,64}[#>]\s*((?:show|display|sh|do show)\s+\S.*)$`)
	commandLine = regexp.MustCompile(`(?i)^[#!;/ ]*command:\s*["` + "`" + `]?([a-z][^"` + "`" + `]*)["` + "`" + `]?\s*$`)
)

// sectionsOf cuts a capture where a command stands. Without any it is one section.
func sectionsOf(text string, o ParseOptions) []section {
	var out []section
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
	words := strings.Fields(strings.TrimPrefix(s, "do "))
	if len(words) > 0 && words[0] == "sh" {
		words[0] = "show"
	}
	if len(words) > 1 && slices.Contains([]string{"int", "inter", "interf"}, words[1]) {
		words[1] = "interfaces"
	}
	return strings.Join(words, " ")
}

// candidate is a parser that may fit a section.
type candidate struct {
	platform, command string
	reading           devices.Reading
	score             int
}

// best returns what the platform's parsers make of the section.
func (s section) best(platform string) candidate {
	var best candidate
	for _, command := range s.commandsOf(platform) {
		c := candidate{platform: platform, command: command}
		in := parse.Input{Text: s.text, Span: timeline.At(time.Now().UTC())}
		if parse.Into(platform, command, in, &c.reading) != nil {
			continue
		}
		if c.score = c.worth(); c.score > best.score {
			best = c
		}
	}
	return best
}

// parse reads the section with the platform's parser for its command, or with the one that makes the most of it.
func (s section) parse(platform string) (parsedSection, bool) {
	best := s.best(platform)
	if best.score == 0 {
		return parsedSection{}, false
	}
	unread := cleaned(best.reading.Unread)
	best.reading.Unread = nil
	return parsedSection{Platform: best.platform, Command: report.Clean(best.command), Found: s.found, Lines: [2]int{s.first, s.last}, Reading: plainReading(best.reading), Unread: unread}, true
}

// platformOf returns the platform of a capture: the one that is given, the one whose software it names, or the one whose
// parsers make the most of all its sections. others are those that make as much of it.
func platformOf(o ParseOptions, whole string, sections []section) (platform string, others []string) {
	if o.Platform != "" {
		return parse.Canonical(o.Platform), nil
	}
	if name, ok := cli.Detect(cli.Signs{Version: whole}); ok {
		return parse.Canonical(name), nil
	}
	most := 0
	names := slices.SortedFunc(maps.Keys(parse.Parsers), func(a, b string) int {
		return cmp.Or(cmp.Compare(slices.Index(common, b), slices.Index(common, a)), cmp.Compare(a, b))
	})
	for _, name := range names {
		total := 0
		for _, s := range sections {
			total += s.best(name).score
		}
		switch {
		case total > most:
			platform, others, most = name, nil, total
		case total == most && total > 0:
			others = append(others, name)
		}
	}
	return platform, others
}

// common are the platforms that a text is of where others would read it as well, the commonest last.
var common = []string{"cisco_iosxe", "cisco_ios"}

// commandsOf lists the commands that the section may be of.
func (s section) commandsOf(platform string) []string {
	if s.command != "" {
		// "show interface" and "show interfaces" are one command to most devices.
		return []string{s.command, strings.Replace(s.command, "show interface ", "show interfaces ", 1), strings.TrimSuffix(strings.Replace(s.command+" ", "show interface ", "show interfaces ", 1), " "),
			strings.Replace(s.command, "show interfaces", "show interface", 1)}
	}
	list := slices.Sorted(maps.Keys(parse.Parsers[platform]))
	if _, ok := cli.Detect(cli.Signs{Version: s.text}); !ok { // any line with the word "version" would do
		list = slices.DeleteFunc(list, func(c string) bool { return c == "show version" })
	}
	return list
}

// worth is how much a parser made of a text: how many values it found, less the lines that it did not understand.
func (c candidate) worth() int {
	r := c.reading
	r.Unread, r.Device = nil, ""
	n := values(plainReading(r))
	if n == 0 {
		return 0
	}
	return max(1, n-len(c.reading.Unread))
}

// values counts the values of a plain reading. Facts are words that no parser had a use for.
func values(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		for key, x := range v {
			if key != "facts" {
				n += values(x)
			}
		}
	case []any:
		for _, x := range v {
			n += values(x)
		}
	default:
		n = 1
	}
	return n
}
