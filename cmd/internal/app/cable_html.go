package app

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"whydrop/cmd/internal/report"
)

//go:embed cable.html.tmpl
var cableSource string

var cablePage = template.Must(template.New("cable").Parse(cableSource))

// HTML writes one page that needs nothing else: the table of all links, then a certificate of each, which begins a new
// page in print. All text goes through html/template's escaping.
func (c Cabling) HTML(w io.Writer) error {
	type page struct {
		Site, Summary, Covers, Traffic, Method, Program string
		Sheets                                          []cableSheet
		Table                                           bool
		Problems, Warnings                              []string
	}
	p := page{
		Site: report.Clean(c.Site), Summary: c.summary(), Covers: c.covers(), Traffic: c.traffic(), Method: cableMethod, Program: c.Program,
		Table: len(c.Links) > 1, Problems: cleanAll(c.Problems), Warnings: cleanAll(c.Warnings),
	}
	for i, l := range c.Links {
		p.Sheets = append(p.Sheets, newCableSheet(i, l))
	}
	if err := cablePage.Execute(w, p); err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	return nil
}
