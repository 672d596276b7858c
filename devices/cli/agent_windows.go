package cli

import (
	"context"
	"net"
	"os"
	"time"
)

// agentPipe is where OpenSSH for Windows has its agent.
const agentPipe = `\\.\pipe\openssh-ssh-agent`

// dialAgent opens the agent's pipe. A pipe opened so has no deadlines; the login closes it when its context ends.
func dialAgent(context.Context) (net.Conn, error) {
	f, err := os.OpenFile(agentPipe, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return pipe{f}, nil
}

// pipe makes a named pipe a net.Conn, as far as the agent's client needs it.
type pipe struct{ *os.File }

func (pipe) LocalAddr() net.Addr              { return pipeAddr{} }
func (pipe) RemoteAddr() net.Addr             { return pipeAddr{} }
func (pipe) SetDeadline(time.Time) error      { return os.ErrNoDeadline }
func (pipe) SetReadDeadline(time.Time) error  { return os.ErrNoDeadline }
func (pipe) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return agentPipe }
