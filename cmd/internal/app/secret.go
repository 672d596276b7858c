package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/term"

	"whydrop/devices"
)

// secretTimeout bounds a cmd: reference: a password manager answers in seconds or waits for somebody.
const secretTimeout = 30 * time.Second

// secretMax bounds a secret; the longest legitimate one is a private key.
const secretMax = 64 << 10

// Secrets resolves references to secrets and remembers what it resolved, so that each prompt is asked once and
// everything can be redacted. The zero value is ready to use.
type Secrets struct {
	// Prompt, if not nil, is used instead of the terminal.
	Prompt func(label string) (string, error)

	known map[string]devices.Secret
}

// Resolve returns the secret that a reference stands for:
//
//	env:NAME      the environment variable NAME
//	file:PATH     the file's content without the final newline; the file must be readable by its owner alone
//	cmd:COMMAND   the first line that the command prints; it is split at blanks, no shell is used
//	prompt:LABEL  what the user types at the terminal
//
// Anything else is refused, so that no secret stands in a site file. Errors never hold the secret.
func (s *Secrets) Resolve(ref string) (devices.Secret, error) {
	if got, ok := s.known[ref]; ok {
		return got, nil
	}
	kind, arg, ok := strings.Cut(ref, ":")
	var text string
	var err error
	switch {
	case ok && kind == "env":
		text, err = secretFromEnv(arg)
	case ok && kind == "file":
		text, err = secretFromFile(home(arg))
	case ok && kind == "cmd":
		text, err = secretFromCommand(arg)
	case ok && kind == "prompt":
		text, err = s.ask(arg)
	default:
		return devices.Secret{}, errors.New("write a reference, not the secret itself: env:NAME, file:PATH, cmd:COMMAND or prompt:LABEL")
	}
	if err != nil {
		return devices.Secret{}, err
	}
	if text == "" {
		return devices.Secret{}, fmt.Errorf("%s gives an empty secret", ref)
	}
	if s.known == nil {
		s.known = map[string]devices.Secret{}
	}
	s.known[ref] = devices.NewSecret(text)
	return s.known[ref], nil
}

// Revealed returns the texts of all secrets resolved so far, for a redactor and nothing else.
func (s *Secrets) Revealed() []string {
	var out []string
	for _, v := range s.known {
		out = append(out, v.Reveal())
	}
	return out
}

func secretFromEnv(name string) (string, error) {
	v, ok := os.LookupEnv(name)
	if !ok {
		return "", fmt.Errorf("environment variable %s is not set", name)
	}
	return v, nil
}

func secretFromFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return "", err
	}
	// Windows has no permission bits worth reading; access is by ACL there.
	if fi.Mode().IsRegular() && fi.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return "", fmt.Errorf("%s can be read by others (mode %04o): chmod 600 %s", path, fi.Mode().Perm(), path)
	}
	b, err := io.ReadAll(io.LimitReader(f, secretMax+1))
	if err != nil {
		return "", err
	}
	if len(b) > secretMax {
		return "", fmt.Errorf("%s is longer than %d bytes", path, secretMax)
	}
	return strings.TrimRight(string(b), "\r\n"), nil
}

func secretFromCommand(line string) (string, error) {
	args := strings.Fields(line)
	if len(args) == 0 {
		return "", errors.New("cmd: names no command")
	}
	ctx, cancel := context.WithTimeout(context.Background(), secretTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stderr, cmd.WaitDelay = os.Stderr, time.Second
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("cmd:%s: %w", args[0], err)
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimRight(first, "\r"), nil
}

func (s *Secrets) ask(label string) (string, error) {
	if label == "" {
		label = "secret"
	}
	if s.Prompt != nil {
		return s.Prompt(label)
	}
	fd := int(os.Stdin.Fd())
	if !term.IsTerminal(fd) {
		return "", errors.New("prompt: needs a terminal; use env: or file: here")
	}
	fmt.Fprintf(os.Stderr, "%s: ", label)
	b, err := term.ReadPassword(fd)
	fmt.Fprintln(os.Stderr)
	return string(b), err
}
