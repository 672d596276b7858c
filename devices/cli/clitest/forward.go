package clitest

import (
	"io"
	"net"
	"strconv"
	"sync"

	"golang.org/x/crypto/ssh"
)

// forward carries out a direct-tcpip request (RFC 4254, section 7.2), so that the server can serve as a jump
// host. Only loopback addresses are reached.
func (s *Server) forward(nc ssh.NewChannel, wg *sync.WaitGroup) {
	var p struct {
		Host       string
		Port       uint32
		OriginHost string
		OriginPort uint32
	}
	if ssh.Unmarshal(nc.ExtraData(), &p) != nil {
		_ = nc.Reject(ssh.ConnectionFailed, "bad request")
		return
	}
	if ip := net.ParseIP(p.Host); (ip == nil || !ip.IsLoopback()) && p.Host != "localhost" {
		_ = nc.Reject(ssh.Prohibited, "only loopback is reached from here")
		return
	}
	conn, err := net.Dial("tcp", net.JoinHostPort(p.Host, strconv.Itoa(int(p.Port))))
	if err != nil {
		_ = nc.Reject(ssh.ConnectionFailed, err.Error())
		return
	}
	ch, reqs, err := nc.Accept()
	if err != nil {
		conn.Close()
		return
	}
	wg.Add(3)
	go func() {
		defer wg.Done()
		ssh.DiscardRequests(reqs)
	}()
	go func() {
		defer wg.Done()
		_, _ = io.Copy(conn, ch)
		conn.Close()
	}()
	go func() {
		defer wg.Done()
		_, _ = io.Copy(ch, conn)
		ch.Close()
	}()
}
