package cli

import (
	"bytes"
	"context"
	"regexp"
	"strings"

	"whydrop/devices"
)

// secretQuestion matches what a device asks before it gives more rights.
var secretQuestion = regexp.MustCompile(`(?i)(?:password|passcode|secret)[^\n]{0,40}:[ \t]*$`)

// enable asks for more rights where the platform needs them, the account does not have them, and the site file has
// the secret. The secret is sent once in a session. A device that refuses it is asked with the rights that there are.
func (s *session) enable(ctx context.Context) error {
	command, secret := s.is().Enable, s.secret
	s.secret = devices.Secret{}
	if command == "" || secret.IsZero() || !strings.HasSuffix(s.prompt, ">") {
		return nil
	}
	s.t.begin(maxIdle)
	defer s.t.end()
	line, err := s.say(ctx, command)
	if err != nil {
		return err
	}
	if secretQuestion.MatchString(line) {
		if line, err = s.say(ctx, secret.Reveal()); err != nil {
			return err
		}
	}
	if secretQuestion.MatchString(line) { // refused; an empty line ends the question
		for range 3 {
			if line, err = s.say(ctx, ""); err != nil {
				return err
			}
			if !secretQuestion.MatchString(line) {
				break
			}
		}
	}
	if !isPrompt(line) {
		line, err = s.learnPrompt(ctx)
		if err != nil {
			return err
		}
	}
	s.took(line)
	return nil
}

// say enters a line and returns the one at which the device stops.
func (s *session) say(ctx context.Context, line string) (string, error) {
	if err := s.driver.Channel.Write(append(bytes.Clone([]byte(line)), '\n'), true); err != nil {
		return "", err
	}
	return s.lastLine(ctx, quiet)
}
