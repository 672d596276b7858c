package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// process is one end that runs.
type process struct {
	cmd      *exec.Cmd
	out, err bytes.Buffer
	done     chan struct{}
	failed   error
}

func start(ctx context.Context, args []string) (*process, error) {
	p := &process{cmd: exec.CommandContext(ctx, args[0], args[1:]...), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.err
	p.cmd.WaitDelay = time.Second
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.failed = p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

func (p *process) cpu() float64 {
	s := p.cmd.ProcessState
	return (s.UserTime() + s.SystemTime()).Seconds()
}

// end lets a process end by itself, or asks it to, and waits for it.
func (p *process) end(grace time.Duration) {
	select {
	case <-p.done:
		return
	case <-time.After(grace):
	}
	_ = p.cmd.Process.Signal(os.Interrupt)
	select {
	case <-p.done:
	case <-time.After(3 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// measure runs one contest at a place.
func measure(ctx context.Context, c contest, p place) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(p.seconds*float64(time.Second))+15*time.Second)
	defer cancel()
	var ring *capture
	if p.capture != nil {
		var err error
		if ring, err = p.capture(); err != nil {
			return outcome{}, err
		}
		defer ring.close()
	}
	serverArgs := c.server(p)
	server, err := start(ctx, serverArgs)
	if err != nil {
		return outcome{}, err
	}
	defer server.end(0)
	time.Sleep(150 * time.Millisecond) // it listens by then; a client that comes too early says so and comes again
	var client *process
	for range 20 {
		if client, err = start(ctx, c.client(p)); err != nil {
			return outcome{}, err
		}
		<-client.done
		if client.failed == nil {
			break
		}
		select {
		case <-server.done:
		case <-time.After(200 * time.Millisecond):
			continue
		}
		break
	}
	grace := time.Second
	if filepath.Base(serverArgs[len(p.serverIn)]) == "whydrop" {
		grace = 0 // it serves until it is told to end
	}
	server.end(grace)
	if client.failed != nil {
		return outcome{}, fmt.Errorf("client: %w: %s", client.failed, firstLine(client.err.String()+client.out.String()))
	}
	if server.failed != nil && grace > 0 {
		return outcome{}, fmt.Errorf("server: %w: %s", server.failed, firstLine(server.err.String()))
	}
	o, err := c.read(server.out.Bytes(), client.out.Bytes())
	if err != nil {
		return outcome{}, err
	}
	if o.units <= 0 || o.seconds <= 0 {
		return outcome{}, errors.New("nothing arrived")
	}
	if ring != nil {
		o.windowsGood = ring.good(p.rate)
	}
	o.cpuServer, o.cpuClient = server.cpu(), client.cpu()
	return o, nil
}

func firstLine(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 300 {
		s = s[:300]
	}
	return strings.ReplaceAll(s, "\n", " ")
}
