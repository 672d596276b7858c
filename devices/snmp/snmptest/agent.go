// Package snmptest is a real SNMP agent on loopback whose answers are given by the caller: a tree of objects,
// fixed or computed when asked, for v2c and v3 (USM), and [Step]s that make it answer as broken agents do. Its
// messages are made by gosnmp's codec; tests check it against net-snmp's tools. Sources: RFC 3416 (operations),
// RFC 3414 (USM, as the authoritative engine), RFC 3584.
package snmptest

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/gosnmp/gosnmp"
)

// Agent is an SNMP agent. Fill in the fields, Set objects, then Listen. Set, SetFunc, Delete, Next, Always,
// Restart and the counters may be called at any time from any goroutine.
type Agent struct {
	// Community is accepted for v1 and v2c; "" refuses both. As with real agents a wrong one is not answered.
	Community string

	// User is accepted for v3; "" refuses v3.
	User string
	// Auth is MD5, SHA (also for ""), SHA-224, SHA-256, SHA-384 or SHA-512; it counts only with AuthPass.
	Auth     string
	AuthPass string
	// Priv is DES, AES (also for ""), AES-192, AES-256, AES-192-C or AES-256-C; it counts only with PrivPass.
	Priv     string
	PrivPass string
	// Level is the least level at which objects are shown: noAuthNoPriv, authNoPriv, authPriv. "" is the
	// highest that the pass phrases allow. Below it the agent answers authorizationError.
	Level string
	// EngineID identifies the agent in v3; "" is a fixed one. 5 to 32 octets.
	EngineID string
	// Boots is snmpEngineBoots at the start; 0 is 1.
	Boots uint32

	// MaxSize is the longest message the agent sends; 0 is 65507. GET answers tooBig beyond it, GETBULK is cut.
	MaxSize int
	// OnRequest, if not nil, is called with each request that was accepted, before it is answered.
	OnRequest func(Request)

	tree     tree
	contexts map[string]*tree // guarded by mu
	once     sync.Once
	usm      *usm

	mu      sync.Mutex
	conn    *net.UDPConn
	started time.Time
	steps   []Step
	always  Step
	counts  map[string]int
	wg      sync.WaitGroup
}

// Request is a request as it was understood.
type Request struct {
	PDU            string   // GET, GETNEXT, GETBULK, SET
	OIDs           []string // with a leading dot
	NonRepeaters   int
	MaxRepetitions int
	From           netip.AddrPort
}

// Set gives the object a fixed value. The zero Value hides the object. It panics if oid is not an identifier.
func (a *Agent) Set(oid string, v Value) { a.tree.set(oid, func() Value { return v }) }

// SetFunc gives the object a value that is computed each time it is asked for. f is called from the agent's
// goroutine, one at a time, and may call Set. A zero Value from f hides the object.
func (a *Agent) SetFunc(oid string, f func() Value) { a.tree.set(oid, f) }

// Delete removes the object and all objects below it.
func (a *Agent) Delete(prefix string) { a.tree.remove(prefix) }

// Listen opens a UDP socket (as in "127.0.0.1:0") and begins to answer. Close ends it.
func (a *Agent) Listen(addr string) (netip.AddrPort, error) {
	if err := a.init(); err != nil {
		return netip.AddrPort{}, err
	}
	ua, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("snmptest: listen on %s: %w", addr, err)
	}
	conn, err := net.ListenUDP("udp", ua)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("snmptest: listen on %s: %w", addr, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.conn != nil {
		conn.Close()
		return netip.AddrPort{}, errors.New("snmptest: the agent listens already")
	}
	a.conn = conn
	a.wg.Add(1)
	go func() {
		defer a.wg.Done()
		a.serve(conn)
	}()
	return conn.LocalAddr().(*net.UDPAddr).AddrPort(), nil
}

// Close ends the agent and returns when its goroutine is gone. The agent may listen again afterwards.
func (a *Agent) Close() error {
	a.mu.Lock()
	conn := a.conn
	a.conn = nil
	a.mu.Unlock()
	if conn == nil {
		return nil
	}
	err := conn.Close()
	a.wg.Wait()
	return err
}

// Restart does what a restart of the agent does to v3: snmpEngineBoots grows, snmpEngineTime begins at 0. The
// objects (sysUpTime among them) are the caller's.
func (a *Agent) Restart() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.Boots = max(a.Boots, 1) + 1
	a.started = time.Now()
}

// Count returns how many requests of the PDU ("GET", "GETNEXT", "GETBULK", "SET") were accepted; of "auth" how
// many v3 messages with credentials came, right or wrong; of "" how many datagrams came at all.
func (a *Agent) Count(pdu string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.counts[pdu]
}

func (a *Agent) count(what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.counts[what]++
}

func (a *Agent) init() error {
	var err error
	a.once.Do(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.counts, a.started, a.Boots = map[string]int{}, time.Now(), max(a.Boots, 1)
		if a.EngineID == "" {
			// RFC 3411, section 5: enterprise 8072 (net-snmp's, as a stand-in), format 4 (text).
			a.EngineID = "\x80\x00\x1f\x88\x04whydrop"
		}
		if a.User != "" {
			a.usm, err = newUSM(a)
		}
	})
	if err == nil && a.User != "" && a.usm == nil {
		err = errors.New("snmptest: the agent could not be set up")
	}
	return err
}

// serve answers until the socket is closed.
func (a *Agent) serve(conn *net.UDPConn) {
	buf := make([]byte, 65536)
	for {
		n, from, err := conn.ReadFromUDPAddrPort(buf)
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			continue // an ICMP error of an earlier answer
		}
		a.count("")
		a.handle(conn, append([]byte(nil), buf[:n]...), from)
	}
}

// names of the PDUs in Request and Count.
var pduNames = map[gosnmp.PDUType]string{
	gosnmp.GetRequest: "GET", gosnmp.GetNextRequest: "GETNEXT", gosnmp.GetBulkRequest: "GETBULK", gosnmp.SetRequest: "SET",
}
