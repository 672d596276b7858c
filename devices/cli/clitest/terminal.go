package clitest

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
)

// pageLength is how many lines IOS prints before it stops, until "terminal length" says otherwise.
const pageLength = 24

// terminal is one session's line editor and pager.
type terminal struct {
	s          *Server
	ch         ssh.Channel
	wg         *sync.WaitGroup
	length     int
	privileged bool
	last       byte // the byte read before, so that CR LF is one end of line
}

// serve answers the channel's requests until the client wants a shell or one command, runs it, and says whether
// the session ended with exit.
func (t *terminal) serve(reqs <-chan *ssh.Request) (exited bool) {
	for req := range reqs {
		switch req.Type {
		case "shell":
			_ = req.Reply(true, nil)
			t.discard(reqs)
			exited = t.shell()
			t.status()
			return exited
		case "exec":
			var p struct{ Command string }
			if ssh.Unmarshal(req.Payload, &p) != nil {
				_ = req.Reply(false, nil)
				continue
			}
			_ = req.Reply(true, nil)
			t.discard(reqs)
			t.length = 0
			t.run(strings.TrimSpace(p.Command))
			t.status()
			return false
		case "pty-req", "window-change", "env":
			if req.WantReply {
				_ = req.Reply(req.Type != "env", nil)
			}
		default:
			if req.WantReply {
				_ = req.Reply(false, nil)
			}
		}
	}
	return false
}

// discard refuses further requests until the channel is closed.
func (t *terminal) discard(reqs <-chan *ssh.Request) {
	t.wg.Add(1)
	go func() {
		defer t.wg.Done()
		ssh.DiscardRequests(reqs)
	}()
}

func (t *terminal) status() {
	_, _ = t.ch.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{0}))
}

func (t *terminal) prompt() string {
	switch {
	case t.s.Prompts != nil:
		return t.s.Prompts()
	case t.s.Prompt != "":
		return t.s.Prompt
	}
	name := t.s.Hostname
	if name == "" {
		name = "Switch"
	}
	if t.privileged {
		return name + "#"
	}
	return name + ">"
}

// shell reads lines until exit or the end of the connection, and says whether it was exit.
func (t *terminal) shell() bool {
	if t.s.MOTD != "" {
		t.print("\n" + strings.TrimSuffix(t.s.MOTD, "\n") + "\n")
	}
	t.print("\n" + t.prompt())
	for {
		line, err := t.readLine(true)
		if err != nil {
			return false
		}
		line = strings.TrimSpace(line)
		if line != "" {
			t.s.note(line)
			if t.run(line) {
				return true
			}
		}
		t.print(t.prompt())
	}
}

// run carries out one command and says whether it was exit.
func (t *terminal) run(line string) (exit bool) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return false
	}
	switch {
	case len(words) == 1 && (isShort(words[0], "exit", 2) || isShort(words[0], "quit", 1) || isShort(words[0], "logout", 2)):
		return true
	case isShort(words[0], "terminal", 4):
		t.terminal(line, words)
	case len(words) == 1 && isShort(words[0], "enable", 2):
		t.enable()
	case len(words) == 1 && isShort(words[0], "disable", 4):
		t.privileged = false
	default:
		t.handle(line)
	}
	return false
}

// isShort says whether word is an abbreviation of at least n letters of full, as IOS accepts them.
func isShort(word, full string, n int) bool {
	return len(word) >= n && strings.HasPrefix(full, strings.ToLower(word))
}

func (t *terminal) handle(line string) {
	if t.s.Handler != nil {
		if out, ok := t.s.Handler(line); ok {
			t.page(out)
			return
		}
	}
	t.invalid(line)
}

// invalid prints IOS's answer to what it does not know; the marker stands under the first word that it did not
// understand, which here is the second where there is one.
func (t *terminal) invalid(line string) {
	at := len(t.prompt())
	if i := strings.IndexByte(line, ' '); i >= 0 {
		at += i + 1
	}
	t.print(strings.Repeat(" ", at) + "^\n% Invalid input detected at '^' marker.\n\n")
}

func (t *terminal) terminal(line string, words []string) {
	if len(words) != 3 {
		t.print("% Incomplete command.\n\n")
		return
	}
	n, err := strconv.Atoi(words[2])
	switch {
	case err != nil || n < 0 || n > 512:
		t.invalid(line)
	case isShort(words[1], "length", 3) && !t.s.NoPagerOff:
		t.length = n
	case isShort(words[1], "width", 3):
	default:
		t.invalid(line)
	}
}

// enable asks for the enable password up to three times, as IOS does.
func (t *terminal) enable() {
	if t.privileged {
		return
	}
	if t.s.Enable == "" {
		t.print("% Error in authentication.\n\n")
		return
	}
	for range 3 {
		t.print("Password: ")
		pw, err := t.readLine(false)
		if err != nil {
			return
		}
		if pw == t.s.Enable {
			t.privileged = true
			return
		}
	}
	t.print("% Bad secrets\n\n")
}

// page prints a command's output and stops every page, as long as there is a page length.
func (t *terminal) page(out string) {
	if t.length == 0 {
		if out != "" && !strings.HasSuffix(out, "\n") {
			out += "\n"
		}
		t.print(out)
		return
	}
	lines := strings.SplitAfter(out, "\n")
	if n := len(lines); n > 0 && lines[n-1] == "" {
		lines = lines[:n-1]
	} else if n > 0 {
		lines[n-1] += "\n"
	}
	room := t.length - 1
	for i, line := range lines {
		t.s.thawed()
		t.print(line)
		if room--; room > 0 || i == len(lines)-1 {
			continue
		}
		switch t.more() {
		case ' ':
			room = t.length - 1
		case '\r', '\n':
			room = 1
		default:
			return
		}
	}
}

// more shows the pager and returns the key that answers it; 0 means that the client is gone.
func (t *terminal) more() byte {
	pager := t.s.Pager
	if pager == "" {
		pager = " --More-- "
	}
	t.print(pager)
	b, err := t.readByte()
	if err != nil {
		return 0
	}
	back := strings.Repeat("\b", len(pager))
	t.print(back + strings.Repeat(" ", len(pager)) + back)
	return b
}

func (t *terminal) readByte() (byte, error) {
	var one [1]byte
	_, err := io.ReadFull(t.ch, one[:])
	t.s.thawed()
	return one[0], err
}

// Keys of the line editor, by their ASCII codes.
const (
	ctrlC, ctrlD, ctrlU, bell = 3, 4, 21, 7
	backspace, del            = 8, 127
)

// readLine reads up to the end of a line. With echo, what is typed is shown, as IOS does.
func (t *terminal) readLine(echo bool) (string, error) {
	var line []byte
	for {
		b, err := t.readByte()
		if err != nil {
			return "", err
		}
		last := t.last
		t.last = b
		switch b {
		case '\n', '\r':
			if b == '\n' && last == '\r' {
				continue
			}
			t.redraw(echo, line)
			t.print("\n")
			return string(line), nil
		case backspace, del:
			if len(line) > 0 {
				line = line[:len(line)-1]
				t.echo(echo, "\b \b")
			}
		case ctrlU:
			t.echo(echo, strings.Repeat("\b \b", len(line)))
			line = line[:0]
		case ctrlC:
			t.print("\n" + t.prompt())
			line = line[:0]
		case ctrlD:
			if len(line) == 0 {
				return "exit", nil
			}
		default:
			if b < ' ' {
				continue
			}
			if len(line) >= maxLine {
				t.echo(echo, string(rune(bell)))
				continue
			}
			line = append(line, b)
			t.echo(echo, string([]byte{b}))
			if b == ' ' {
				t.redraw(echo, line)
			}
		}
	}
}

// maxLine is the longest line that IOS's editor takes.
const maxLine = 254

// redraw draws the prompt and the line once more over what is there.
func (t *terminal) redraw(on bool, line []byte) {
	if t.s.Redraw {
		t.echo(on, "\r\x1b[K"+t.prompt()+string(line))
	}
}

func (t *terminal) echo(on bool, s string) {
	if on {
		_, _ = io.WriteString(t.ch, s)
	}
}

// print writes text with CR LF at the ends of lines, as a terminal needs it.
func (t *terminal) print(s string) {
	_, _ = fmt.Fprint(t.ch, strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n"))
}
