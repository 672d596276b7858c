package app

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whydrop/correlate"
)

// CableFormats are the formats of a certificate, by name. A file's name ends in one of them, or in .txt for text.
var CableFormats = map[string]func(Cabling, io.Writer) error{
	"text": Cabling.Text, "html": Cabling.HTML, "json": Cabling.JSON, "csv": Cabling.CSV,
}

// CheckCableOutput says before a test what would fail after it.
func CheckCableOutput(format, file string) error {
	if CableFormats[format] == nil {
		return Usagef("--format: %q is none of %s", format, strings.Join(slices.Sorted(maps.Keys(CableFormats)), ", "))
	}
	if file == "" {
		return nil
	}
	if fi, err := os.Stat(file); err == nil && fi.IsDir() {
		return checkFolder(file, file)
	}
	if cableFileFormat(file) == "" {
		return Usagef("--report %s: neither a folder nor a name that says a format; end it in .html, .json, .csv or .txt", file)
	}
	return checkFolder(file, filepath.Dir(file))
}

func cableFileFormat(file string) string {
	switch f := strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), "."); f {
	case "html", "json", "csv":
		return f
	case "htm":
		return "html"
	case "txt":
		return "text"
	}
	return ""
}

// Save writes the certificates to a file, whose name says the format, or into a folder, one page for each link. It
// returns what it wrote.
func (c Cabling) Save(file string) ([]string, error) {
	if fi, err := os.Stat(file); err != nil || !fi.IsDir() {
		f := CableFormats[cableFileFormat(file)]
		if err := saveWhole(file, func(w io.Writer) error { return f(c, w) }); err != nil {
			return nil, err
		}
		return []string{file}, nil
	}
	var out []string
	for _, l := range c.Links {
		one := c
		one.Links = []correlate.CableResult{l}
		stem := SafeName(strings.ReplaceAll(l.Link.A.String(), "/", "-"))
		name := filepath.Join(file, stem+".html")
		for n := 2; slices.Contains(out, name); n++ {
			name = filepath.Join(file, fmt.Sprintf("%s-%d.html", stem, n))
		}
		if err := saveWhole(name, one.HTML); err != nil {
			return out, err
		}
		out = append(out, name)
	}
	return out, nil
}
