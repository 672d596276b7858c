package app

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"whydrop/cmd/internal/report"
	"whydrop/correlate"
)

// cableMethod is how every figure of a certificate came about.
const cableMethod = "The error counters of both receiving ports were read while traffic flowed; what they stood at before is shown as old and not counted. " +
	"Every bad frame is counted as one bit error, the least it can have, so a bit error ratio is a lower estimate. Intervals are exact Poisson intervals of 95 % (no error in N bits: below 3/N). " +
	"A link passes with a ratio of at most 1e-8 below 1 Gbit/s, 1e-10 at 1 Gbit/s, 1e-12 above; it fails above 1e-8, at more than 1 Gbit/s above 1e-10; between the two it is a warning."

// summary counts the verdicts.
func (c Cabling) summary() string {
	n, oneSided := map[correlate.CableVerdict]int{}, 0
	for _, l := range c.Links {
		n[l.Verdict]++
		if l.Verdict == correlate.CablePass && l.OneSided() {
			oneSided++
		}
	}
	var parts []string
	for _, v := range []correlate.CableVerdict{correlate.CableFail, correlate.CableWarn, correlate.CableUndecided, correlate.CablePass} {
		if n[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[v], v))
		}
	}
	if oneSided > 0 {
		parts[len(parts)-1] += fmt.Sprintf(" (%d in one direction alone)", oneSided)
	}
	word := "links"
	if len(c.Links) == 1 {
		word = "link"
	}
	return fmt.Sprintf("%d %s: %s", len(c.Links), word, strings.Join(parts, ", "))
}

// covers says when the test ran, for how long and with what traffic.
func (c Cabling) covers() string {
	t := fmt.Sprintf("%s, for %s", report.Stamp(c.Span.From), report.RoundLength(c.Span.Width()))
	if c.Interrupted {
		t += " (interrupted)"
	}
	return t
}

func (c Cabling) traffic() string {
	if c.Traffic == "" {
		return "what flowed; nothing was sent"
	}
	return report.Clean(c.Traffic)
}

// Text writes the table of all links, then a certificate of each.
func (c Cabling) Text(w io.Writer) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, "Cabling of %s: %s\n  Tested  %s\n  Traffic %s\n\n", report.Clean(c.Site), c.summary(), c.covers(), c.traffic())
	tw := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "VERDICT\tRECEIVED BY\tFROM\tCARRIED\tBAD\tERROR RATIO\tNEEDS")
	sheets := make([]cableSheet, len(c.Links))
	for i, l := range c.Links {
		sheets[i] = newCableSheet(i, l)
		for _, d := range sheets[i].Ways {
			from, _, _ := strings.Cut(d.Way, " → ")
			fmt.Fprintf(tw, "%s %s\t%s\t%s\t%s\t%s\t%s\t%s\n", d.Sign, d.Verdict, d.To, from, d.Bits, d.Bad, d.BER, d.More)
		}
	}
	_ = tw.Flush() // into a Builder, which takes all
	for _, s := range sheets {
		s.text(b)
	}
	textList(b, "\nNot read or not sent:", cleanAll(c.Problems))
	textList(b, "\nNotes:", cleanAll(c.Warnings))
	b.WriteString("\n")
	wrapped(b, "", cableMethod)
	_, err := io.WriteString(w, b.String())
	return err
}

func (s cableSheet) text(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s %s  %s\n  %s, confidence %s\n", s.Sign, strings.ToUpper(s.Word), s.Name, s.Speed, s.Confidence)
	for _, d := range s.Ways {
		if d.How == "" {
			wrapped(b, "  ", d.Way+": not read")
			continue
		}
		wrapped(b, "  ", fmt.Sprintf("%s: %s of %s frames bad in %s, bit error ratio %s (%s; limit %s), share of frames %s; %s", d.Way, d.Bad, d.Frames, d.Bits, d.BER, d.Interval, d.Limit, d.Share, d.How))
	}
	for _, e := range s.Ends {
		duplex := e.Duplex + " duplex"
		if e.Duplex == unknownText {
			duplex = "duplex " + unknownText
		}
		wrapped(b, "  ", fmt.Sprintf("%s: %s, %s, offers %s; medium %s; optics: %s; last cable test: %s; times that the link was lost: %s", e.Name, e.Speed, duplex, e.Offers, e.Media, e.Optics, e.Pairs, e.Flaps))
	}
	textList(b, "  Why:", s.Reasons)
	if s.First != "" {
		fmt.Fprintf(b, "  Look first at %s.\n", s.First)
	}
	textList(b, "  Old, before the test, not counted:", s.Olds)
	textList(b, "  Note:", s.Notes)
}

func textList(b *strings.Builder, title string, list []string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(b, title)
	for _, t := range list {
		wrapped(b, "    - ", t)
	}
}

// wrapped writes a text that fits a ticket behind a head; its further lines are indented deeper.
func wrapped(b *strings.Builder, head, text string) {
	indent := len(head)
	if strings.TrimSpace(head) == "" {
		indent *= 2
	}
	for _, line := range report.Wrap(text, report.Columns-indent) {
		fmt.Fprintln(b, head+line)
		head = strings.Repeat(" ", indent)
	}
}
