package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// sessions holds at most one session per device, by the device's name.
type sessions struct {
	mu       sync.Mutex
	slots    map[string]*slot
	jumps    map[string]*refusals  // by address and user
	algs     map[string]Algorithms // by device, of its last session
	detected map[string]string     // platforms, by device
	closed   bool
}

// slot is one device's place for a session. Whoever holds its token may use the rest.
type slot struct {
	token    chan struct{}
	session  *session
	refused  refusals
	exchange uint64 // number of the last one
}

var errClosed = errors.New("the collector is closed")

// take waits for a device's slot until ctx ends. The caller must give it back.
func (p *sessions) take(ctx context.Context, device string) (*slot, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errClosed
	}
	if p.slots == nil {
		p.slots, p.jumps, p.algs, p.detected = map[string]*slot{}, map[string]*refusals{}, map[string]Algorithms{}, map[string]string{}
	}
	s := p.slots[device]
	if s == nil {
		s = &slot{token: make(chan struct{}, 1)}
		p.slots[device] = s
	}
	p.mu.Unlock()
	select {
	case s.token <- struct{}{}:
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.closed {
			s.give()
			return nil, errClosed
		}
		return s, nil
	case <-ctx.Done():
		return nil, fail(devices.ErrTimeout, ctx.Err(), "%s: another question to it was still under way", device)
	}
}

func (s *slot) give() { <-s.token }

// drop ends the slot's session, if there is one.
func (s *slot) drop() {
	if s.session != nil {
		s.session.close()
		s.session = nil
	}
}

// open makes sure that the slot has a session that is alive, and says whether it is a new one.
func (p *sessions) open(ctx context.Context, s *slot, d devices.Device) (fresh bool, err error) {
	if s.session != nil && !s.session.dead && s.session.t.IsAlive() {
		return false, nil
	}
	s.drop()
	if platformOf(d) != "" {
		if _, ok := Platforms[platformOf(d)]; !ok {
			return false, fmt.Errorf("%s: %w", d.Name, check(platformOf(d), ""))
		}
	}
	ctx, cancel := context.WithTimeout(ctx, timeoutOf(d))
	defer cancel()
	suffix := Platforms[platformOf(d)].UserSuffix
	l, err := p.link(ctx, s, d, suffix)
	if err != nil {
		return false, err
	}
	if name, ok := Detect(Signs{Banner: string(l.client.ServerVersion())}); ok && platformOf(d) == "" && Platforms[name].UserSuffix != "" {
		l.close() // it takes options behind the user's name, and needs them
		if l, err = p.link(ctx, s, d, Platforms[name].UserSuffix); err != nil {
			return false, err
		}
	}
	if s.session, err = openSession(ctx, d, l); err != nil {
		return false, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.algs[d.Name] = l.algs
	if platformOf(d) == "" {
		p.detected[d.Name] = s.session.platform
	}
	return true, nil
}

// link connects to the device, through its jump host where it has one, and logs in with the suffix behind the user's
// name.
func (p *sessions) link(ctx context.Context, s *slot, d devices.Device, suffix string) (*link, error) {
	t := target{who: d.Name, host: d.Address, ssh: *d.SSH, refused: &s.refused}
	t.ssh.User += suffix
	if d.Source.IsValid() {
		t.source = &net.TCPAddr{IP: d.Source.AsSlice(), Zone: d.Source.Zone()}
	}
	var jump *link
	if d.SSH.Jump != nil {
		j := jumpTarget(d, p.jumpRefusals(d.SSH.Jump))
		j.source = t.source
		t.source = nil
		var err error
		if jump, err = connect(ctx, j, nil); err != nil {
			return nil, err
		}
	}
	return connect(ctx, t, jump)
}

// jumpRefusals returns the count that all devices behind the same jump host share.
func (p *sessions) jumpRefusals(j *devices.SSHJump) *refusals {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := j.SSH.User + "@" + j.Address
	if p.jumps[key] == nil {
		p.jumps[key] = &refusals{}
	}
	return p.jumps[key]
}

// ask sends one command, opening a session first where there is none, and once more where the old one turns out
// to be dead.
func (p *sessions) ask(ctx context.Context, s *slot, d devices.Device, command string) (Answer, error) {
	if err := check(platformOf(d), command); err != nil {
		return Answer{}, fmt.Errorf("%s: %w", d.Name, err)
	}
	if ctx.Err() != nil { // an open session is left as it is
		return Answer{}, fail(devices.ErrTimeout, ctx.Err(), "%s: %s: stopped before it was sent", d.Name, command)
	}
	for {
		fresh, err := p.open(ctx, s, d)
		if err != nil {
			return Answer{}, err
		}
		s.session.timeout = timeoutOf(d)
		a, err := s.session.run(ctx, command)
		if errors.Is(err, devices.ErrUnreachable) && !fresh && ctx.Err() == nil {
			continue
		}
		if s.session.dead {
			s.drop()
		}
		s.exchange++
		return Answer{
			Device: d.Name, Command: command, Text: a.text, Span: a.span, raw: a.raw,
			Origin: timeline.Origin{Collector: "ssh:" + d.Name, Exchange: s.exchange},
		}, err
	}
}

// close ends every session, several at once, and waits for those that are in use.
func (p *sessions) close() {
	p.mu.Lock()
	p.closed = true
	slots := p.slots
	p.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range slots {
		wg.Go(func() {
			s.token <- struct{}{}
			s.drop()
			s.give()
		})
	}
	wg.Wait()
}
