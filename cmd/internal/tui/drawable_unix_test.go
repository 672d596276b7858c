//go:build unix

package tui

import (
	"errors"
	"testing"
)

func TestTerminalThatNobodyKnowsIsNotDrawnOn(t *testing.T) {
	t.Setenv("TERM", "no-such-terminal")
	if err := Drawable(); !errors.Is(err, ErrTerminal) {
		t.Errorf("%v, want %v", err, ErrTerminal)
	}
	t.Setenv("TERM", "xterm-256color")
	if err := Drawable(); err != nil {
		t.Error(err)
	}
}
