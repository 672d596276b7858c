package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"whydrop/devices"
)

// maxRefusals is how many refused secrets a device sees from us before we stop, so that no account is locked.
const maxRefusals = 2

// refusals counts the secrets that a device has refused since it last accepted one. It outlives sessions.
type refusals struct{ n int }

// login is one attempt to log in: the methods offered, and what became of them.
type login struct {
	who      string
	ssh      devices.SSH
	refused  *refusals
	tried    []string // "key", "agent", "password", "keyboard-interactive"
	sent     int      // secrets sent in this attempt
	problem  error    // why a method could not be carried out, if one could not
	agent    net.Conn // open while logging in
	question string   // a question of the device that is no password prompt
	atOnce   bool     // keyboard-interactive was offered and refused before anything was asked
}

// methods returns the ways to log in, in the order keys, agent, password. Each is used at most once.
func (l *login) methods(ctx context.Context) ([]ssh.AuthMethod, error) {
	var out []ssh.AuthMethod
	keys, err := l.keys()
	if err != nil {
		return nil, err
	}
	if keys != nil || l.ssh.Agent {
		out = append(out, ssh.PublicKeysCallback(func() ([]ssh.Signer, error) {
			signers := keys
			if len(keys) > 0 {
				l.tried = append(l.tried, "key")
			}
			if l.ssh.Agent {
				signers = append(signers, l.agentKeys(ctx)...)
			}
			return signers, nil
		}))
	}
	if !l.ssh.Password.IsZero() {
		out = append(out, ssh.PasswordCallback(func() (string, error) { return l.password("password") }),
			ssh.KeyboardInteractive(l.answer))
	}
	if len(out) == 0 {
		return nil, fail(devices.ErrAuth, nil, "%s: there is nothing to log in with; set `password`, `key` or `agent: true` under its ssh", l.who)
	}
	return out, nil
}

func (l *login) keys() ([]ssh.Signer, error) {
	if l.ssh.Key.IsZero() {
		return nil, nil
	}
	pem := []byte(l.ssh.Key.Reveal())
	var signer ssh.Signer
	var err error
	if l.ssh.KeyPass.IsZero() {
		signer, err = ssh.ParsePrivateKey(pem)
	} else {
		signer, err = ssh.ParsePrivateKeyWithPassphrase(pem, []byte(l.ssh.KeyPass.Reveal()))
	}
	var missing *ssh.PassphraseMissingError
	switch {
	case err == nil:
		return []ssh.Signer{signer}, nil
	case errors.As(err, &missing):
		return nil, fail(devices.ErrAuth, nil, "%s: its private key has a pass phrase; set `key_pass` under its ssh", l.who)
	case !l.ssh.KeyPass.IsZero() && strings.Contains(err.Error(), "decryption"):
		return nil, fail(devices.ErrAuth, nil, "%s: the pass phrase does not open its private key; check `key_pass` under its ssh", l.who)
	}
	// The library's words are left out: they may quote the key.
	return nil, fail(devices.ErrAuth, nil, "%s: its private key is none in OpenSSH or PEM form; check `key` under its ssh", l.who)
}

// agentKeys returns the keys of the running agent. The connection stays open until close.
func (l *login) agentKeys(ctx context.Context) []ssh.Signer {
	l.tried = append(l.tried, "agent")
	conn, err := dialAgent(ctx)
	if err != nil {
		l.problem = fmt.Errorf("the agent can't be reached: %w", err)
		return nil
	}
	l.agent = conn
	context.AfterFunc(ctx, func() { conn.Close() })
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		l.problem = fmt.Errorf("the agent gives no keys: %w", err)
		return nil
	}
	if len(signers) == 0 {
		l.problem = errors.New("the agent holds no key")
	}
	return signers
}

func (l *login) close() {
	if l.agent != nil {
		l.agent.Close()
	}
}

var errStopped = errors.New("not sent again, to spare the account")

// password hands the password over, unless the device has refused it too often.
func (l *login) password(method string) (string, error) {
	if l.refused.n >= maxRefusals {
		return "", errStopped
	}
	l.tried = append(l.tried, method)
	l.refused.n++ // until it is accepted
	l.sent++
	return l.ssh.Password.Reveal(), nil
}

// answer answers a keyboard-interactive challenge (RFC 4256): one question for the password, once. Anything else
// (a one-time code, a new password) is for a person, and is said instead of waited for.
func (l *login) answer(_, _ string, questions []string, echos []bool) ([]string, error) {
	switch {
	case len(questions) == 0:
		return nil, nil
	case len(questions) > 1 || echos[0] || !strings.Contains(strings.ToLower(questions[0]), "password"):
		l.question = printable(strings.Join(questions, " "))
		return nil, errors.New("a question that is not for the password")
	}
	for _, t := range l.tried {
		if t == "keyboard-interactive" {
			return nil, errors.New("asked for the password again")
		}
	}
	pw, err := l.password("keyboard-interactive")
	return []string{pw}, err
}

// denied explains a login that failed after the host key was accepted. cause is the SSH library's error.
func (l *login) denied(cause error) error {
	user := l.ssh.User
	if user == "" {
		return fail(devices.ErrAuth, cause, "%s: no user; set `user` under its ssh", l.who)
	}
	switch {
	case l.question != "":
		return fail(devices.ErrAuth, cause, "%s: asks user %q for %q, which only a person can answer; give an account that logs in by password or key", l.who, user, l.question)
	case l.sent == 0 && l.refused.n >= maxRefusals:
		return fail(devices.ErrAuth, cause, "%s: has refused the password of user %q %d times: not sent again, to spare the account; correct `user` or `password` under its ssh and start again", l.who, user, l.refused.n)
	case l.atOnce && l.sent == 0:
		return fail(devices.ErrAuth, cause, "%s: refused the password of user %q: it offers keyboard-interactive, but refuses before it asks; check `user` and `password` under its ssh, and that the device takes passwords%s", l.who, user, l.more())
	case l.sent > 0:
		return fail(devices.ErrAuth, cause, "%s: refused the password of user %q (%s); check `user` and `password` under its ssh%s", l.who, user, strings.Join(l.tried, ", "), l.more())
	case len(l.tried) > 0:
		return fail(devices.ErrAuth, cause, "%s: refused the key of user %q (%s); check `user` and `key` under its ssh, and that the key is on the device%s", l.who, user, strings.Join(l.tried, ", "), l.more())
	}
	return fail(devices.ErrAuth, cause, "%s: takes none of the ways to log in that are set for user %q; set another of `password`, `key`, `agent` under its ssh", l.who, user)
}

func (l *login) more() string {
	if l.problem == nil {
		return ""
	}
	return "; " + l.problem.Error()
}
