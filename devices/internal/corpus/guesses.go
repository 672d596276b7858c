package corpus

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"whydrop/devices/parse"
	"whydrop/devices/parse/guess"
)

// Guesses is what came of guessing the platforms of captures from their text alone.
type Guesses struct {
	All, Right int
	Wrong      []string // the captures whose platform was guessed wrongly, and what was guessed
}

// Share returns how many percent were right.
func (g Guesses) Share() float64 {
	if g.All == 0 {
		return 100
	}
	return 100 * float64(g.Right) / float64(g.All)
}

// folders are platforms whose folder has another name than parse.Aliases know.
var folders = map[string]string{"fortinet": "fortios", "cisco_s300": "cisco_smb", "cisco_xr": "cisco_iosxr"}

// Guess guesses the platform of every capture of a platform that is known here, whatever its command. IOS and IOS-XE
// count as one, since they have one command line. What an API answered and not a command line (JSON, XML, YAML) is left
// out, and so are empty captures.
func Guess(root string) (Guesses, error) {
	var out Guesses
	files, err := filepath.Glob(filepath.Join(root, "*", "*", "*.raw"))
	if err != nil || len(files) == 0 {
		return out, fmt.Errorf("corpus: no captures in %s", root)
	}
	for _, file := range files {
		name, _ := filepath.Rel(root, file)
		folder, _, _ := strings.Cut(name, string(filepath.Separator))
		platform := parse.Canonical(folder)
		if other, ok := folders[folder]; ok {
			platform = other
		}
		if parse.Parsers[platform] == nil {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return out, err
		}
		if ofAPI(name, strings.TrimSpace(string(text))) {
			continue
		}
		out.All++
		got, _ := guess.Platform(string(text))
		if family(got) == family(platform) {
			out.Right++
		} else {
			out.Wrong = append(out.Wrong, fmt.Sprintf("%s: guessed %q", name, got))
		}
	}
	return out, nil
}

// ofAPI says whether a text is none of a command line.
func ofAPI(name, text string) bool {
	return text == "" || text[0] == '{' || strings.HasPrefix(text, "<?xml") || strings.HasPrefix(text, "<R") || strings.HasPrefix(text, "<rpc") || strings.HasSuffix(name, ".yml.raw")
}

func family(platform string) string {
	if platform == "cisco_iosxe" {
		return "cisco_ios"
	}
	return platform
}

// GuessFigure writes what came of it to w: every wrong one if full. The error says that fewer than 95 % are right.
func GuessFigure(w io.Writer, root string, full bool) error {
	g, err := Guess(root)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "platform guessed from the text alone: %d of %d captures (%.1f %%)\n", g.Right, g.All, g.Share())
	for _, line := range g.Wrong {
		if full {
			fmt.Fprintln(w, "  wrong:", line)
		}
	}
	if g.Share() < 95 {
		return fmt.Errorf("the platform of fewer than 95 %% of the captures is guessed rightly")
	}
	return nil
}
