package snmp

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"whydrop/devices"
	"whydrop/devices/snmp/fast"
	"whydrop/devices/snmp/snmptest"
)

// TestTheCodecReadsWhatGosnmpReads compares readings that come through package fast with those that gosnmp has to read:
// with DES, and of an agent whose answers are right but not in the order of the question.
func TestTheCodecReadsWhatGosnmpReads(t *testing.T) {
	reversed := func(a *snmptest.Answer) {
		if a.Request.PDU == "GET" {
			slices.Reverse(a.Reply.Variables)
		}
	}
	var want *devices.Reading
	for _, tt := range []struct {
		name, priv string
		step       snmptest.Step
		fast       bool
	}{
		{"v2c", "", nil, true},
		{"v2c, another order", "", reversed, false},
		{"v3 with AES", "AES", nil, true},
		{"v3 with AES-256-C", "AES-256-C", nil, true},
		{"v3 with DES", "DES", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &snmptest.Agent{Community: "public"}
			if tt.priv != "" {
				a.User, a.AuthPass, a.Priv, a.PrivPass = "ops", "authphrase", tt.priv, "privphrase"
			}
			sw(a)
			a.Always(tt.step)
			d := device(snmptest.NewAgent(t, a), "Gi1/0/1", "Gi1/0/2")
			d.SNMP.Timeout = 20 * time.Second // only a failure waits for it
			if tt.priv != "" {
				d.SNMP.Version, d.SNMP.User, d.SNMP.Priv = "3", "ops", tt.priv
				d.SNMP.AuthPass, d.SNMP.PrivPass = devices.NewSecret("authphrase"), devices.NewSecret("privphrase")
			}
			c := collector(t)
			var r devices.Reading
			for range 2 {
				var err error
				if r, err = c.Collect(context.Background(), d); err != nil {
					t.Fatal(err)
				}
			}
			used := false
			for _, x := range c.sessions[d.Name].session.regular.answers {
				used = used || x.Outcome == fast.OK
			}
			if used != tt.fast {
				t.Errorf("the codec was used: %t, want %t", used, tt.fast)
			}
			if want == nil {
				want = &r
			}
			if !reflect.DeepEqual(r.Interfaces, want.Interfaces) || !reflect.DeepEqual(r.SysName, want.SysName) {
				t.Errorf("got  %+v\nwant %+v", r.Interfaces, want.Interfaces)
			}
		})
	}
}

func TestTheCodecWritesAfterGosnmpsDeadline(t *testing.T) {
	a := &snmptest.Agent{Community: "public"}
	sw(a)
	d := device(snmptest.NewAgent(t, a), "Gi1/0/1")
	d.SNMP.Timeout = 20 * time.Second // only a failure waits for it
	c := collector(t)
	for n := range 3 {
		if _, err := c.Collect(context.Background(), d); err != nil {
			t.Fatal(err)
		}
		s := c.sessions[d.Name].session
		for i, x := range s.head.answers[:len(s.head.batches)] {
			if n > 0 && x.Outcome != fast.OK {
				t.Errorf("poll %d: message %d is left to gosnmp", n, i)
			}
		}
		s.tap.Conn.SetDeadline(time.Unix(1, 0)) // as if the time for gosnmp's last request was over
	}
}

func TestAPlanLastsUntilSomethingElseIsWanted(t *testing.T) {
	a := &snmptest.Agent{Community: "public"}
	sw(a)
	d := device(snmptest.NewAgent(t, a), "Gi1/0/1")
	d.SNMP.Timeout = 20 * time.Second // only a failure waits for it
	c := collector(t)
	poll := func() *session {
		if _, err := c.Collect(context.Background(), d); err != nil {
			t.Fatal(err)
		}
		return c.sessions[d.Name].session
	}
	// Until all that the device lacks is known, plans change; a slow host may outlive one.
	var s *session
	for polls := 0; polls == 0 || s.regular.made && polls < 100; polls++ {
		s = poll()
	}
	if s.regular.made {
		t.Error("a plan is made in every poll")
	}
	s.objects.skip(column(ifTable, ifInErrors)+".10101", s.ports.at)
	s.objects.version++
	if s = poll(); !s.regular.made {
		t.Error("the plan was kept although something else is wanted")
	}
}

func TestAnAgentThatLosesTheSecondMessageIsAskedForOne(t *testing.T) {
	a := &snmptest.Agent{Community: "public"}
	sw(a)
	d := device(snmptest.NewAgent(t, a), "Gi1/0/1", "Gi1/0/2")
	d.SNMP.Timeout = 200 * time.Millisecond
	c := collector(t)
	single := false
	for polls := 0; polls < 50 && !single; polls++ {
		c.Collect(context.Background(), d) // on a slow host this may fail; what counts is what is learnt
		s := c.sessions[d.Name].session
		if s.fast.ask != nil {
			single = s.fast.ask.Single
			a.Next(snmptest.Plain, snmptest.Silence)
		}
	}
	if !single {
		t.Error("it is still asked for two at a time")
	}
}
