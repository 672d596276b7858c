package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"whydrop/devices/internal/corpus"
)

// cli compares what the parsers read with what other projects read in the same captures. The argument is a platform,
// or a part of a folder's name. --full prints every exception and every field that is left out, --quick the first of
// each platform. It tells too of how many captures the platform is guessed rightly from the text alone.
func cli(full bool, args []string) error {
	root, err := corpus.Root()
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Println("no captures beside the checkout:", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("no captures beside the checkout: %w", err)
	}
	return errors.Join(corpus.Figure(os.Stdout, root, full, strings.Join(args, " ")), corpus.GuessFigure(os.Stdout, root, full))
}
