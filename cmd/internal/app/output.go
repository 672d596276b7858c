package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/term"

	"whydrop/cmd/internal/report"
)

// FormatNames returns the names of the report formats, sorted.
func FormatNames() []string {
	var names []string
	for n := range report.Formats {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// CheckFormat returns an error if there is no such report format.
func CheckFormat(name string) error {
	if _, ok := report.Formats[name]; !ok {
		return Usagef("--format: %q is none of %s", name, strings.Join(FormatNames(), ", "))
	}
	return nil
}

// WriteReport writes the document to w in the given format.
func WriteReport(w io.Writer, d report.Document, format string) error {
	if err := CheckFormat(format); err != nil {
		return err
	}
	return report.Formats[format](w, d)
}

// fileFormats says which format a report file's name asks for.
var fileFormats = map[string]string{".html": "html", ".htm": "html", ".md": "md", ".markdown": "md", ".json": "json", ".txt": "text"}

// FormatOfFile returns the format that a report file's name asks for; CheckReportFile has accepted the name.
func FormatOfFile(path string) string { return fileFormats[strings.ToLower(filepath.Ext(path))] }

// CheckReportFile returns an error if no report can be written to the file of that name; "" is no file and no error.
func CheckReportFile(path string) error {
	if path == "" {
		return nil
	}
	if FormatOfFile(path) == "" {
		return Usagef("--report %s: its name says no format; end it in .html, .md, .json or .txt", path)
	}
	if fi, err := os.Stat(path); err == nil && fi.IsDir() {
		return Usagef("--report %s: is a folder; name a file in it", path)
	}
	return checkFolder(path, filepath.Dir(path))
}

// checkFolder returns an error if no file can be made in the folder into which the report is to be written.
func checkFolder(path, folder string) error {
	if fi, err := os.Stat(folder); err != nil || !fi.IsDir() {
		return Usagef("--report %s: there is no folder %s", path, folder)
	}
	tmp, err := os.CreateTemp(folder, ".whydrop-*")
	if err != nil {
		return Usagef("--report %s: nothing can be written into the folder %s: %w", path, folder, errors.Unwrap(err))
	}
	tmp.Close()
	return os.Remove(tmp.Name())
}

// SaveReport writes the document to a new file, whole or not at all. The format follows the file's name. An
// existing file is replaced.
func SaveReport(path string, d report.Document) error {
	if err := CheckReportFile(path); err != nil {
		return err
	}
	return saveWhole(path, func(w io.Writer) error { return WriteReport(w, d, FormatOfFile(path)) })
}

// saveWhole writes a file whole or not at all. An existing file is replaced.
func saveWhole(path string, write func(io.Writer) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".whydrop-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, errors.Unwrap(err))
	}
	defer os.Remove(tmp.Name()) // fails once it has been renamed, as it should
	err = write(tmp)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = pe.Err // it names a file that nobody asked for
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return fmt.Errorf("write %s: %w", path, errors.Unwrap(err))
	}
	return nil
}

// IsTerminal says whether f is a terminal that can show the UI.
func IsTerminal(f *os.File) bool {
	named := os.Getenv("TERM") != "" || runtime.GOOS == "windows" // Windows sets no TERM
	return term.IsTerminal(int(f.Fd())) && named && os.Getenv("TERM") != "dumb"
}
