package fast

import (
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"
	"net"
	"testing"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/devices/snmp/snmptest"
)

func testUser() User {
	return User{
		Name: "reader", Engine: "\x80\x00\x1f\x88\x04whydrop", Hash: sha1.New, MAC: 12,
		AuthKey: []byte("01234567890123456789"), PrivKey: []byte("0123456789abcdef"),
	}
}

// newAgent has ten ports of three counters.
func newAgent(t testing.TB, a *snmptest.Agent) net.Conn {
	t.Helper()
	for port := range 10 {
		for col := range 3 {
			a.Set(object(col, port), snmptest.C64(value(col, port)))
		}
	}
	conn, err := net.Dial("udp", snmptest.NewAgent(t, a).String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func object(col, port int) string {
	return fmt.Sprintf("1.3.6.1.2.1.31.1.1.1.%d.%d", 6+col, 10101+port)
}

func value(col, port int) uint64 { return uint64(col)<<60 + uint64(port) }

// requests asks for each port by itself.
func requests(t testing.TB) []*Request {
	t.Helper()
	var out []*Request
	for port := range 10 {
		r, err := NewRequest([]string{object(0, port), object(1, port), object(2, port)})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// generous is a time that only a failure waits for.
const generous = 20 * time.Second

func checkAll(t *testing.T, answers []Answer) {
	t.Helper()
	for port, a := range answers {
		if a.Outcome != OK {
			t.Fatalf("request %d: outcome %d, want OK", port, a.Outcome)
		}
		if a.To.Before(a.From) || a.From.IsZero() {
			t.Errorf("request %d: span from %v to %v", port, a.From, a.To)
		}
		for col := range 3 {
			if a.Tags[col] != Counter64 || a.Numbers[col] != value(col, port) {
				t.Errorf("port %d column %d: got %#x %d, want %d", port, col, a.Tags[col], a.Numbers[col], value(col, port))
			}
		}
	}
}

func TestCommunity(t *testing.T) {
	conn := newAgent(t, &snmptest.Agent{Community: "public"})
	c, err := NewCommunity(V2c, "public")
	if err != nil {
		t.Fatal(err)
	}
	reqs := requests(t)
	answers := make([]Answer, len(reqs))
	for range 3 {
		if err := c.Ask(t.Context(), conn, reqs, answers, generous); err != nil {
			t.Fatal(err)
		}
		checkAll(t, answers)
	}
}

var hashes = map[string]struct {
	new func() hash.Hash
	mac int
}{
	"MD5": {md5.New, 12}, "SHA": {sha1.New, 12}, "SHA-224": {sha256.New224, 16}, "SHA-256": {sha256.New, 24},
	"SHA-384": {sha512.New384, 32}, "SHA-512": {sha512.New, 48},
}

// TestUser asks an agent whose side of USM is gosnmp's, with keys that gosnmp made.
func TestUser(t *testing.T) {
	auths := map[string]gosnmp.SnmpV3AuthProtocol{
		"MD5": gosnmp.MD5, "SHA": gosnmp.SHA, "SHA-224": gosnmp.SHA224, "SHA-256": gosnmp.SHA256, "SHA-384": gosnmp.SHA384, "SHA-512": gosnmp.SHA512,
	}
	privs := map[string]gosnmp.SnmpV3PrivProtocol{"": gosnmp.NoPriv, "AES": gosnmp.AES, "AES-192": gosnmp.AES192, "AES-256-C": gosnmp.AES256C}
	for auth, protocol := range auths {
		for priv, privacy := range privs {
			t.Run(auth+" "+priv, func(t *testing.T) {
				a := &snmptest.Agent{User: "reader", Auth: auth, AuthPass: "authenticate", Boots: 300}
				if priv != "" {
					a.Priv, a.PrivPass = priv, "encipher it"
				}
				conn := newAgent(t, a)
				p := &gosnmp.UsmSecurityParameters{
					UserName: "reader", AuthoritativeEngineID: a.EngineID, AuthenticationProtocol: protocol,
					AuthenticationPassphrase: "authenticate", PrivacyProtocol: privacy, PrivacyPassphrase: a.PrivPass,
				}
				if err := p.InitSecurityKeys(); err != nil {
					t.Fatal(err)
				}
				c, err := NewUser(User{
					Name: "reader", Engine: a.EngineID, Hash: hashes[auth].new, MAC: hashes[auth].mac,
					AuthKey: p.SecretKey, PrivKey: p.PrivacyKey,
				})
				if err != nil {
					t.Fatal(err)
				}
				c.Engine(300, 1)
				reqs := requests(t)
				answers := make([]Answer, len(reqs))
				if err := c.Ask(t.Context(), conn, reqs, answers, generous); err != nil {
					t.Fatal(err)
				}
				checkAll(t, answers)

				c.Engine(299, 1) // the agent answers with a Report
				if err := c.Ask(t.Context(), conn, reqs[:1], answers[:1], generous); err != nil {
					t.Fatal(err)
				}
				if answers[0].Outcome != Odd {
					t.Errorf("outside of the time window: outcome %d, want Odd", answers[0].Outcome)
				}
			})
		}
	}
}

func TestUserWithoutKeys(t *testing.T) {
	a := &snmptest.Agent{User: "reader"}
	conn := newAgent(t, a)
	c, err := NewUser(User{Name: "reader", Engine: a.EngineID})
	if err != nil {
		t.Fatal(err)
	}
	c.Engine(1, 1)
	reqs := requests(t)
	answers := make([]Answer, len(reqs))
	if err := c.Ask(t.Context(), conn, reqs, answers, generous); err != nil {
		t.Fatal(err)
	}
	checkAll(t, answers)
}

func TestKeysThatAreNone(t *testing.T) {
	for name, change := range map[string]func(*User){
		"privacy without authentication": func(u *User) { u.Hash = nil },
		"a key of DES's length":          func(u *User) { u.PrivKey = u.PrivKey[:8] },
		"no authentication key":          func(u *User) { u.AuthKey = nil },
		"a MAC longer than the hash":     func(u *User) { u.MAC = 21 },
	} {
		u := testUser()
		change(&u)
		if _, err := NewUser(u); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestForgery changes each octet of an authentic message in turn: none of the messages is taken.
func TestForgery(t *testing.T) {
	u := testUser()
	c, err := newUser(u)
	if err != nil {
		t.Fatal(err)
	}
	c.security.boots, c.security.time = 7, 1000
	r, err := NewRequest(asked[:1])
	if err != nil {
		t.Fatal(err)
	}
	msg := c.encode(nil, r, askedID)
	if _, ok := c.open(append([]byte(nil), msg...)); !ok {
		t.Fatal("its own message is not authentic")
	}
	for i := range msg {
		b := append([]byte(nil), msg...)
		b[i] ^= 0x10
		if _, ok := c.open(b); ok {
			t.Errorf("octet %d of %d changed: still taken", i, len(msg))
		}
	}
	for _, late := range []uint32{1151, 2000} {
		c.security.time = late
		if _, ok := c.open(append([]byte(nil), msg...)); ok {
			t.Errorf("a message %d s old was taken", late-1000)
		}
	}
}

func TestOddAnswers(t *testing.T) {
	for name, tt := range map[string]struct {
		step    snmptest.Step
		want    Outcome
		timeout time.Duration
	}{
		"an error":           {snmptest.Fail(gosnmp.GenErr), Odd, generous},
		"too big":            {snmptest.TooBigAbove(2), Odd, generous},
		"a wrong identifier": {snmptest.WrongID, Unanswered, 50 * time.Millisecond},
		"identifier 0":       {snmptest.ZeroID, Unanswered, 50 * time.Millisecond},
		"silence":            {snmptest.Silence, Unanswered, 50 * time.Millisecond},
		"from another port":  {snmptest.OtherSource, Unanswered, 50 * time.Millisecond},
		"cut in the middle":  {snmptest.CutTo(40), Unanswered, 50 * time.Millisecond},
		"another object":     {func(a *snmptest.Answer) { a.Reply.Variables[1].Name = ".1.3.6.1.2.1.1.3.0" }, Odd, generous},
		"an identifier": {func(a *snmptest.Answer) {
			a.Reply.Variables[1].Type, a.Reply.Variables[1].Value = gosnmp.ObjectIdentifier, ".1.3.6"
		}, Odd, generous},
		"the end of the MIB": {func(a *snmptest.Answer) {
			a.Reply.Variables[1].Type, a.Reply.Variables[1].Value = gosnmp.EndOfMibView, nil
		}, Odd, generous},
		"answered twice": {func(a *snmptest.Answer) { a.Twice = true }, OK, generous},
		"an object not there": {func(a *snmptest.Answer) {
			a.Reply.Variables[1].Type, a.Reply.Variables[1].Value = gosnmp.NoSuchInstance, nil
		}, OK, generous},
		"one value less than it": {func(a *snmptest.Answer) { a.Reply.Variables = a.Reply.Variables[:2] }, Odd, generous},
	} {
		t.Run(name, func(t *testing.T) {
			a := &snmptest.Agent{Community: "public"}
			conn := newAgent(t, a)
			c, err := NewCommunity(V2c, "public")
			if err != nil {
				t.Fatal(err)
			}
			a.Next(tt.step)
			reqs := requests(t)
			answers := make([]Answer, len(reqs))
			if err := c.Ask(t.Context(), conn, reqs, answers, tt.timeout); err != nil {
				t.Fatal(err)
			}
			if answers[0].Outcome != tt.want {
				t.Errorf("outcome %d, want %d", answers[0].Outcome, tt.want)
			}
			if tt.want != Unanswered { // the others are not touched by it
				for i := 1; i < len(answers); i++ {
					if answers[i].Outcome != OK {
						t.Errorf("request %d: outcome %d, want OK", i, answers[i].Outcome)
					}
				}
			}
			// What comes late belongs to nothing any more.
			if err := c.Ask(t.Context(), conn, reqs, answers, generous); err != nil {
				t.Fatal(err)
			}
			checkAll(t, answers)
		})
	}
}

func TestNoMoreThanTwoAreOutstanding(t *testing.T) {
	for single, most := range map[bool]int{false: Outstanding, true: 1} {
		a := &snmptest.Agent{Community: "public"}
		conn := newAgent(t, a)
		a.Always(snmptest.Silence)
		c, err := NewCommunity(V2c, "public")
		if err != nil {
			t.Fatal(err)
		}
		c.Single = single
		reqs := requests(t)
		answers := make([]Answer, len(reqs))
		if err := c.Ask(t.Context(), conn, reqs, answers, 100*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		if got := a.Count("GET"); got > most {
			t.Errorf("a silent agent got %d requests, want at most %d", got, most)
		}
		a.Always(nil)
		if err := c.Ask(t.Context(), conn, reqs, answers, generous); err != nil {
			t.Fatal(err)
		}
		checkAll(t, answers)
	}
}

func TestAskEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a := &snmptest.Agent{Community: "public", OnRequest: func(snmptest.Request) { cancel() }}
	conn := newAgent(t, a)
	a.Always(snmptest.Silence)
	c, err := NewCommunity(V2c, "public")
	if err != nil {
		t.Fatal(err)
	}
	reqs := requests(t)
	answers := make([]Answer, len(reqs))
	if err := c.Ask(ctx, conn, reqs, answers, time.Hour); err != nil {
		t.Fatal(err)
	}
	for i, got := range answers {
		if got.Outcome != Unanswered {
			t.Errorf("request %d: outcome %d", i, got.Outcome)
		}
	}
}
