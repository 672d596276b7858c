package app

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
)

// ExampleSite is the commented site file that `whydrop init` writes.
//
//go:embed site.example.yaml
var ExampleSite []byte

// WriteExample writes an example to a new file; it never replaces one.
func WriteExample(path string, example []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if os.IsExist(err) {
		return Exit{ExitRefused, fmt.Errorf("%s is there already; name another file", path)}
	}
	if err != nil {
		return Exit{ExitUsage, err}
	}
	_, err = f.Write(example)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = pe.Err // the name is said already
	}
	if err != nil {
		_ = os.Remove(path) // half a file would stand in the way of the next attempt
		return Exit{ExitUsage, fmt.Errorf("write %s: %w", path, err)}
	}
	return nil
}
