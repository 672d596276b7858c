package cli

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"

	"whydrop/devices"
)

// Signs are what a device says of itself; any of them may be "".
type Signs struct {
	Banner   string // the SSH server's version: "SSH-2.0-Cisco-1.25"
	Prompt   string // at which its command line stops
	SysDescr string // of SNMP
	Version  string // the answer to show version or display version
}

// Marks tell a platform from others by its signs. A nil mark says nothing.
type Marks struct {
	Banner   *regexp.Regexp // of Signs.Banner
	Prompt   *regexp.Regexp // of Signs.Prompt
	Software *regexp.Regexp // of Signs.SysDescr and Signs.Version
	Unless   *regexp.Regexp // in the same, that it is another after all
}

// software says whether s is what a device of the platform calls its software.
func (m Marks) software(s string) bool { return match(m.Software, s) && !match(m.Unless, s) }

// Detect returns the platform that the signs point to, by its name in [Platforms]; ok is false if they point to none
// or to several. What the software is called counts more than the banner, and the banner more than the prompt.
func Detect(s Signs) (platform string, ok bool) {
	for _, sees := range []func(Marks) bool{
		func(m Marks) bool { return m.software(s.Version) },
		func(m Marks) bool { return m.software(s.SysDescr) },
		func(m Marks) bool { return match(m.Banner, s.Banner) },
		func(m Marks) bool { return match(m.Prompt, s.Prompt) },
	} {
		var found []string
		for _, name := range slices.Sorted(maps.Keys(Platforms)) {
			if sees(Platforms[name].Marks) {
				found = append(found, name)
			}
		}
		if len(found) == 1 {
			return found[0], true
		}
	}
	return "", false
}

func match(mark *regexp.Regexp, s string) bool { return mark != nil && s != "" && mark.MatchString(s) }

// questionsOfWho are what a device is asked whose platform neither the site file nor its banner and prompt tell.
var questionsOfWho = []string{"show version", "display version"}

// detect finds out the session's platform, by asking where banner and prompt do not tell. A device that tells nothing
// is taken for the default.
func (s *session) detect(ctx context.Context, banner, prompt string) error {
	signs := Signs{Banner: banner, Prompt: prompt}
	name, ok := Detect(signs)
	for _, q := range questionsOfWho {
		if ok {
			break
		}
		a, err := s.run(ctx, q)
		if err != nil && !errors.Is(err, devices.ErrUnsupported) {
			return err
		}
		if signs.Version = a.text; err == nil {
			name, ok = Detect(signs)
		}
	}
	if !ok {
		name = defaultPlatform
	}
	s.platform = name
	s.took(prompt) // what changes in the prompt is the platform's
	return nil
}

// resolve returns the device with its platform, which is found out once by logging in where the site file does not
// give it.
func (c *Collector) resolve(ctx context.Context, d devices.Device) (devices.Device, error) {
	if d.Platform != "" || d.SSH == nil {
		return d, nil
	}
	if name, ok := c.Detected(d.Name); ok {
		d.Platform = name
		return d, nil
	}
	s, err := c.sessions.take(ctx, d.Name)
	if err != nil {
		return d, err
	}
	defer s.give()
	if _, err = c.sessions.open(ctx, s, d); err != nil {
		return d, err
	}
	d.Platform = s.session.platform
	return d, nil
}

// Detected returns the platform that a device without one in the site file was found to be; ok is false while it is
// not known.
func (c *Collector) Detected(device string) (platform string, ok bool) {
	c.sessions.mu.Lock()
	defer c.sessions.mu.Unlock()
	platform, ok = c.sessions.detected[device]
	return platform, ok
}
