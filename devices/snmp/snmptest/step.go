package snmptest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gosnmp/gosnmp"
)

// Answer is the reply to one request before it is sent. A [Step] changes it.
type Answer struct {
	Request Request
	Reply   *gosnmp.SnmpPacket // a GetResponse with the right contents
	// Drop leaves the request without an answer.
	Drop bool
	// Twice sends the answer two times.
	Twice bool
	// Delay holds the answer back; the agent answers nothing else meanwhile.
	Delay time.Duration
	// OtherSource sends the answer from another port than it was asked on.
	OtherSource bool
	// Unsigned answers a v3 request without authentication and privacy, as nobody who has the keys would.
	Unsigned bool
	// Cut, if not 0, is how many octets of the encoded answer are sent.
	Cut int
}

// Step changes how a request is answered.
type Step func(*Answer)

// Next appends steps: each is used for one of the next requests that were accepted, in order.
func (a *Agent) Next(steps ...Step) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.steps = append(a.steps, steps...)
}

// Always sets the step for all requests for which Next has none; nil ends it.
func (a *Agent) Always(s Step) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.always = s
}

func (a *Agent) step() Step {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.steps) > 0 {
		s := a.steps[0]
		a.steps = a.steps[1:]
		return s
	}
	return a.always
}

// Plain answers as it should: it takes the place of a request in Next.
func Plain(*Answer) {}

// Silence does not answer.
func Silence(a *Answer) { a.Drop = true }

// Late answers after d.
func Late(d time.Duration) Step { return func(a *Answer) { a.Delay = d } }

// Fail answers with an error status instead of values.
func Fail(status gosnmp.SNMPError) Step {
	return func(a *Answer) { a.Reply.Error, a.Reply.ErrorIndex = status, 1 }
}

// TooBigAbove answers tooBig to every request whose answer would have more than n variables, GETBULK included.
func TooBigAbove(n int) Step {
	return func(a *Answer) {
		if len(a.Reply.Variables) > n {
			a.Reply.Error, a.Reply.ErrorIndex, a.Reply.Variables = gosnmp.TooBig, 0, nil
		}
	}
}

// NoBulk does not answer GETBULK.
func NoBulk(a *Answer) { a.Drop = a.Drop || a.Request.PDU == "GETBULK" }

// WrongID answers with another request-id than it was asked with.
func WrongID(a *Answer) { a.Reply.RequestID += 77 }

// ZeroID answers with request-id 0.
func ZeroID(a *Answer) { a.Reply.RequestID = 0 }

// OtherSource answers from another port.
func OtherSource(a *Answer) { a.OtherSource = true }

// Repeat makes a GETBULK answer give its first half again instead of its second.
func Repeat(a *Answer) {
	v := a.Reply.Variables
	if half := len(v) / 2; a.Request.PDU == "GETBULK" && half > 0 {
		a.Reply.Variables = append(v[:half:half], v[:half]...)
	}
}

// Endless answers GETNEXT and GETBULK below the column with ever more rows, the indexes counting up.
func Endless(column string) Step {
	column = "." + strings.TrimPrefix(column, ".")
	return func(a *Answer) {
		if len(a.Request.OIDs) != 1 || !strings.HasPrefix(a.Request.OIDs[0]+".", column+".") || a.Request.PDU == "GET" {
			return
		}
		last, _ := strconv.Atoi(strings.TrimPrefix(a.Request.OIDs[0], column+"."))
		a.Reply.Error, a.Reply.Variables = gosnmp.NoError, nil
		for n := range max(1, a.Request.MaxRepetitions) {
			a.Reply.Variables = append(a.Reply.Variables, gosnmp.SnmpPDU{
				Name: fmt.Sprintf("%s.%d", column, last+n+1), Type: gosnmp.OctetString, Value: []byte("row"),
			})
		}
	}
}

// CutTo sends only the first n octets.
func CutTo(n int) Step { return func(a *Answer) { a.Cut = n } }

// Steps applies several steps to the same request.
func Steps(steps ...Step) Step {
	return func(a *Answer) {
		for _, s := range steps {
			s(a)
		}
	}
}
