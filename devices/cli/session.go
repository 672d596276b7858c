package cli

import (
	"bytes"
	"cmp"
	"context"
	_ "embed" // the definition for scrapligo
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/scrapli/scrapligo/driver/network"
	"github.com/scrapli/scrapligo/driver/opoptions"
	"github.com/scrapli/scrapligo/driver/options"
	"github.com/scrapli/scrapligo/platform"
	"golang.org/x/crypto/ssh"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

//go:embed platforms/any.yaml
var definition []byte

// defaultTimeout bounds a login and each command where the site file does not.
const defaultTimeout = 10 * time.Second

// pager matches the question of a pager, at the end of what was read: IOS's " --More-- ", "<--- More --->" of
// the ASA's family, "Press any key to continue".
var pager = regexp.MustCompile(`(?i)(?:-+ ?\(?more\)? ?-+>?|press any key to continue[^\n]{0,40})[ \t]*$`)

// session is a shell on a device. It is used by one goroutine at a time.
type session struct {
	who      string // the device, as messages name it
	platform string
	timeout  time.Duration
	began    time.Time     // when the shell was asked for
	talked   time.Duration // how much of the time until the prompt came the device was printing
	t        *transport
	driver   *network.Driver
	prompt   string
	pattern  string         // matches the prompt
	secret   devices.Secret // for more rights; used once
	dead     bool

	heard   []byte // while the prompt is learnt
	entered int    // empty lines, to learn it
}

// openSession starts a shell on the link, learns the prompt, and switches paging off. The link is the session's
// from now on, and closed if it fails.
func openSession(ctx context.Context, d devices.Device, l *link) (*session, error) {
	t := newTransport(l, Platforms[platformOf(d)].Exit)
	s := &session{who: d.Name, platform: platformOf(d), timeout: timeoutOf(d), began: time.Now(), secret: d.SSH.Enable, t: t}
	stop := context.AfterFunc(ctx, func() { t.hangUp(ctx.Err()) })
	defer stop()
	p, err := platform.NewPlatform(definition, d.Address,
		options.WithCustomTransport(t), options.WithNetworkOnOpen(func(*network.Driver) error { return s.start(ctx) }))
	if err == nil {
		s.driver, err = p.GetNetworkDriver()
	}
	if err == nil {
		err = s.driver.Open()
	}
	if err == nil {
		t.end()
		return s, nil
	}
	cause := t.why()
	t.hangUp(err)
	var f *failure
	if errors.As(err, &f) {
		return nil, err
	}
	return nil, s.noPrompt(ctx, cause, err)
}

// noPrompt says why a login led to no command line; cause is why the session ended, if it has.
func (s *session) noPrompt(ctx context.Context, cause, err error) error {
	var open *ssh.OpenChannelError
	switch {
	case errors.Is(cause, errTooLong):
		return fail(devices.ErrUnsupported, cause, "%s: logged in, but its output has no end: %d MiB came and no prompt; check `address` and `platform`", s.who, maxOutput>>20)
	case ctx.Err() != nil && s.endless():
		return fail(devices.ErrTimeout, ctx.Err(), "%s: logged in, but its output has no end: no prompt came within %s; check `address` and `platform`", s.who, s.waited())
	case ctx.Err() != nil:
		return fail(devices.ErrTimeout, ctx.Err(), "%s: logged in, but no prompt came within %s; check `address` and `platform`", s.who, s.waited())
	case errors.As(err, &open):
		return fail(devices.ErrUnreachable, err, "%s: logged in, but it gives no command line: %s; its lines may all be in use", s.who, printable(open.Message))
	}
	return fail(devices.ErrUnreachable, err, "%s: logged in, but it gives no command line: it ended the session before a prompt came; its lines may all be in use", s.who)
}

// endless says whether the device was printing most of the time: one that answers an empty line, be it by no prompt
// of ours, pauses for much longer than it prints.
func (s *session) endless() bool { return s.talked > silent/2 && s.talked > time.Since(s.began)/2 }

// waited returns how long the session has waited for its prompt.
func (s *session) waited() time.Duration { return time.Since(s.began).Round(100 * time.Millisecond) }

func timeoutOf(d devices.Device) time.Duration {
	if d.SSH.Timeout > 0 {
		return d.SSH.Timeout
	}
	return defaultTimeout
}

// start is run by scrapligo once the shell is there.
func (s *session) start(ctx context.Context) error {
	prompt, err := s.learnPrompt(ctx)
	if err != nil {
		return err
	}
	s.took(prompt)
	if err := s.settle(ctx, s.entered); err != nil {
		return err
	}
	if s.platform == "" {
		if err := s.detect(ctx, string(s.t.link.client.ServerVersion()), prompt); err != nil {
			return err
		}
		s.t.bye = cmp.Or(s.is().Exit, s.t.bye)
	}
	if err := s.enable(ctx); err != nil {
		return err
	}
	unpaged := true
	for _, c := range s.is().Setup {
		// A device may refuse these: folded lines are parsed then, and the pager is answered.
		_, err := s.run(ctx, c)
		if err != nil && !errors.Is(err, devices.ErrUnsupported) {
			return err
		}
		unpaged = err == nil
	}
	s.t.logout(unpaged)
	return nil
}

// is returns the platform.
func (s *session) is() Platform { return Platforms[s.platform] }

// took has the prompt end what the device says, so that a line of a log that looks like it ends nothing.
func (s *session) took(prompt string) {
	s.prompt = prompt
	s.pattern = promptPattern(prompt, s.like(prompt))
	s.driver.Channel.PromptPattern = regexp.MustCompile(`(?:^|\n)` + s.pattern + `[ \t]*\z`)
	s.driver.CurrentPriv = s.driver.DefaultDesiredPriv
}

// like returns the platform, and while it is not known the one that has such prompts, if one has.
func (s *session) like(prompt string) Platform {
	if s.platform == "" {
		name, _ := Detect(Signs{Prompt: prompt})
		return Platforms[name]
	}
	return s.is()
}

// promptPattern returns what matches the prompt, whatever changes in it on a device of the platform.
func promptPattern(prompt string, p Platform) string {
	unsaved := ""
	if p.Unsaved != "" {
		prompt = strings.TrimPrefix(prompt, p.Unsaved)
		unsaved = "(?:" + regexp.QuoteMeta(p.Unsaved) + ")?"
	}
	var loc []int
	if p.Volatile != nil {
		loc = p.Volatile.FindStringIndex(prompt)
	}
	if loc == nil {
		return unsaved + regexp.QuoteMeta(prompt)
	}
	return unsaved + regexp.QuoteMeta(prompt[:loc[0]]) + "(?:" + p.Volatile.String() + ")" + regexp.QuoteMeta(prompt[loc[1]:])
}

// quiet is how long a device must be silent for its prompt to be believed: a banner may hold lines that look
// like one.
const quiet = 100 * time.Millisecond

// silent is how long to wait for a first word before an empty line is entered.
const silent = time.Second

// settle waits for the prompts that answer the empty lines entered while the prompt was learnt: one that a slow device
// prints later would be taken for the end of the next answer. It waits a second at most, since not every device
// answers each line.
func (s *session) settle(ctx context.Context, entered int) error {
	own := regexp.MustCompile("^" + s.pattern + "$")
	for since := time.Now(); time.Since(since) < silent; {
		seen := 0
		for line := range bytes.Lines(s.heard) {
			if own.Match(bytes.TrimSpace(line)) {
				seen++
			}
		}
		if seen > entered {
			break
		}
		b, err := s.driver.Channel.Read()
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		s.hear(b)
		if len(b) == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	s.heard = nil
	return nil
}

// hear keeps what the device said while its prompt is learnt, up to the end of it.
func (s *session) hear(b []byte) {
	const most = 16 << 10
	s.heard = append(s.heard, b...)
	if len(s.heard) > most {
		s.heard = s.heard[len(s.heard)-most:]
	}
}

// learnPrompt returns the device's prompt: the line it stops at, twice the same, with an empty line entered in
// between.
func (s *session) learnPrompt(ctx context.Context) (string, error) {
	last, seen, wait := "", "", quiet
	for {
		line, err := s.lastLine(ctx, wait)
		if line != "" {
			last = line
		}
		if err != nil {
			if cause := s.t.why(); errors.Is(cause, errTooLong) || s.endless() {
				return "", s.noPrompt(ctx, cause, err)
			}
			if last != "" && ctx.Err() != nil {
				err = fail(devices.ErrTimeout, ctx.Err(), "%s: no prompt seen; it stopped at %q; check `address` and `platform`", s.who, printable(last))
			}
			return "", err
		}
		if isPrompt(line) {
			if seen != "" && (line == seen || regexp.MustCompile("^"+promptPattern(seen, s.like(seen))+"$").MatchString(line)) {
				return line, nil
			}
			seen, wait = line, quiet/4 // the answer to an empty line comes in one piece
		} else {
			wait = quiet
		}
		if err := s.driver.Channel.WriteReturn(); err != nil {
			return "", err
		}
		s.entered++
	}
}

// isPrompt says whether a line can be a prompt. What counts is that the device stops there twice.
func isPrompt(line string) bool {
	const most = 128
	if line == ">" { // Firepower Threat Defense
		return true
	}
	return len(line) > 1 && len(line) <= most && strings.IndexByte(">#$%", line[len(line)-1]) >= 0
}

// lastLine reads until the device has said something and then been silent for a moment, and returns the line
// it stopped at; "" if it said nothing for a second.
func (s *session) lastLine(ctx context.Context, wait time.Duration) (string, error) {
	var got []byte
	var first time.Time
	since := time.Now()
	defer func() {
		if !first.IsZero() {
			s.talked += since.Sub(first)
		}
	}()
	for {
		b, err := s.driver.Channel.Read()
		switch {
		case err != nil:
			return tail(got), err
		case ctx.Err() != nil:
			return tail(got), ctx.Err()
		case len(b) > 0:
			got = append(got, b...)
			s.hear(b)
			if since = time.Now(); first.IsZero() {
				first = since
			}
		case len(bytes.TrimSpace(got)) > 0 && time.Since(since) >= wait:
			return tail(got), nil
		case time.Since(since) >= silent:
			return "", nil
		default:
			time.Sleep(time.Millisecond)
		}
	}
}

func tail(b []byte) string {
	return strings.TrimSpace(string(b[bytes.LastIndexByte(b, '\n')+1:]))
}

// answer is what a device said to one command.
type answer struct {
	text string // without echo, prompt, pager and terminal control; lines end with \n
	raw  []byte // as it came
	span timeline.Span
}

// run sends one command of the list of allowed ones and returns the answer. An error that wraps
// devices.ErrUnsupported is the device's own refusal, and the session goes on; after any other the session is
// dead. When ctx ends, run hangs up and returns.
func (s *session) run(ctx context.Context, command string) (answer, error) {
	if err := check(s.platform, command); err != nil {
		return answer{}, fmt.Errorf("%s: %w", s.who, err)
	}
	limited, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	stop := context.AfterFunc(limited, func() { s.t.hangUp(limited.Err()) })
	defer stop()
	if _, err := s.driver.Channel.ReadAll(); err != nil { // what came unasked is no answer
		return answer{}, s.broken(ctx, command, err)
	}
	s.t.begin(maxOutput)
	text, err := s.send(limited, command)
	raw, wrote, read := s.t.end()
	a := answer{text: text, raw: raw, span: timeline.Span{From: wrote, To: read}}
	if err != nil {
		return a, s.broken(ctx, command, err)
	}
	if words := refusal(a.text, s.is().Lacks); words != "" {
		return a, fail(devices.ErrUnsupported, nil, "%s: %s: %s", s.who, command, words)
	}
	if words := foreign(a.text); words != "" {
		return a, fail(devices.ErrUnsupported, ErrPlatform, "%s: the device does not know `%s` (it said %q); check `platform`", s.who, general(s.platform, command), words)
	}
	if words := refusal(a.text, s.is().Refused); words != "" {
		return a, fail(devices.ErrUnsupported, nil, "%s: %s: %s", s.who, command, words)
	}
	return a, nil
}

// send has scrapligo send the command and turns the pager's pages.
func (s *session) send(ctx context.Context, command string) (string, error) {
	r, err := s.driver.SendCommand(command, opoptions.WithTimeoutOps(0), opoptions.WithNoStripPrompt(),
		opoptions.WithInterimPromptPattern([]*regexp.Regexp{pager}))
	if err != nil {
		return "", err
	}
	text := []byte(r.Result)
	prompts := []*regexp.Regexp{s.driver.Channel.PromptPattern, pager}
	for !s.driver.Channel.PromptPattern.Match(lastLines(text)) {
		loc := pager.FindIndex(lastLines(text))
		if loc == nil {
			break
		}
		text = text[:len(text)-len(lastLines(text))+loc[0]]
		if err := s.driver.Channel.Write([]byte(" "), false); err != nil {
			return "", err
		}
		more, err := s.driver.Channel.ReadUntilAnyPrompt(ctx, prompts)
		if err != nil {
			return "", err
		}
		text = append(bytes.TrimRight(text, " \t\b"), wipe(more, loc[1]-loc[0])...)
	}
	return s.tidy(text, command), nil
}

// wipe cuts off what a device prints to take its pager of n characters from the screen: backspaces, blanks and
// backspaces, or blanks between carriage returns, which are gone already.
func wipe(b []byte, n int) []byte {
	run := 0
	for run < len(b) && (b[run] == ' ' || b[run] == '\b') {
		run++
	}
	if last := bytes.LastIndexByte(b[:run], '\b'); last >= 0 {
		return b[last+1:]
	}
	if run >= n {
		return b[n:]
	}
	return b
}

// lastLines returns the end of the text, where a prompt can be.
func lastLines(b []byte) []byte {
	const depth = 300
	return b[max(0, len(b)-depth):]
}

// tidy takes the prompt, the rest of the echo and backspaces out of an answer.
func (s *session) tidy(text []byte, command string) string {
	lines := bytes.Split(text, []byte("\n"))
	for n := len(lines); n > 0; n-- {
		last := strings.TrimSpace(string(lines[n-1]))
		if last != "" && last != s.prompt && !s.isOwnPrompt(last) {
			break
		}
		lines = lines[:n-1]
	}
	if len(lines) > 0 && bytes.HasSuffix(bytes.TrimSpace(lines[0]), []byte(command)) {
		lines = lines[1:]
	}
	var b bytes.Buffer
	for _, line := range lines {
		if bytes.IndexByte(line, '\b') >= 0 {
			line = rubOut(line)
		}
		b.Write(bytes.TrimRight(line, " \t"))
		b.WriteByte('\n')
	}
	return strings.TrimLeft(b.String(), "\n")
}

// isOwnPrompt says whether a line is the prompt, or one of the lines that some devices put above it: "{master:0}".
func (s *session) isOwnPrompt(line string) bool {
	if strings.HasPrefix(line, "{") && strings.HasSuffix(line, "}") && len(line) < 40 && strings.IndexByte(line, ' ') < 0 {
		return true
	}
	return s.is().Volatile != nil && regexp.MustCompile("^"+s.pattern+"$").MatchString(line)
}

// broken marks the session dead and says why.
func (s *session) broken(ctx context.Context, command string, err error) error {
	s.dead = true
	cause := s.t.why()
	s.t.hangUp(err)
	switch {
	case errors.Is(cause, errTooLong):
		return fail(devices.ErrPartial, cause, "%s: %s: it sent more than %d MiB for one command; the session was ended", s.who, command, maxOutput>>20)
	case ctx.Err() != nil:
		return fail(devices.ErrTimeout, ctx.Err(), "%s: %s: stopped before the answer was complete", s.who, command)
	case errors.Is(cause, context.DeadlineExceeded):
		return fail(devices.ErrTimeout, cause, "%s: %s: no complete answer in %v; the session was ended", s.who, command, s.timeout)
	}
	return fail(devices.ErrUnreachable, err, "%s: %s: the device ended the session", s.who, command)
}

// close logs out and hangs up. It returns within half a second, and every goroutine of the session is gone then.
func (s *session) close() {
	if s.t.IsAlive() && !s.dead {
		s.t.begin(maxIdle)
		late := time.AfterFunc(logoutTime, func() { _ = s.t.Close() })
		if s.t.Write(s.t.exit()) == nil {
			<-s.t.done // the device hangs up, or we do when it is late
		}
		late.Stop()
	}
	_ = s.t.Close()
	<-s.t.done
	_ = s.driver.Channel.Close()
}
