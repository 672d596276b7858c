package snmp

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"whydrop/devices"
	"whydrop/devices/snmp/snmptest"
)

func TestVersion1(t *testing.T) {
	a := &snmptest.Agent{Community: "public"}
	sw(a)
	c, d := collector(t), device(snmptest.NewAgent(t, a), "Gi1/0/1", "Fa0")
	d.SNMP.Version = "1"
	var last int
	for range 3 {
		last = a.Count("")
		r, err := c.Collect(context.Background(), d)
		if err != nil || len(r.Interfaces) != 2 {
			t.Fatalf("%v, %+v", err, r)
		}
		for _, i := range r.Interfaces {
			// Of 64 bits there is nothing; an object that is missing takes none of the others with it.
			equal(t, i.Name, []any{i.InOctets, i.FCS, i.Speed, i.Oper, i.STPState}, []any{
				devices.C32(10000), devices.C32(3), map[string]any{"Gi1/0/1": devices.Some[uint64](1e9), "Fa0": devices.Some[uint64](100e6)}[i.Name], devices.Some("up"), devices.Some("forwarding"),
			})
		}
		if r.Bridge == nil || !r.Clock.OK || r.SysName.Value != "sw1" {
			t.Errorf("%+v", r)
		}
	}
	if n := a.Count("") - last; n > 5 {
		t.Errorf("%d messages in the third poll: what is missing is asked for again", n)
	}
	if n := a.Count("GETBULK"); n != 0 {
		t.Errorf("%d GETBULK, which SNMPv1 does not have", n)
	}
}

func TestVersion1Walks(t *testing.T) {
	for _, rows := range []int{0, 1, 40} {
		a, s := table(t, rows, 0)
		s.device.SNMP.Version = "1"
		v1, err := newSession(s.device)
		if err != nil {
			t.Fatal(err)
		}
		defer v1.close()
		got, err := v1.walk(context.Background(), tableRoot, time.Now().Add(nameTime))
		if err != nil || len(got) != rows {
			t.Errorf("%d rows of %d, %v", len(got), rows, err)
		}
		if a.Count("GETNEXT") != rows+1 {
			t.Errorf("%d GETNEXT for %d rows", a.Count("GETNEXT"), rows)
		}
	}
}

func TestSnmpdIsReadByVersion1(t *testing.T) {
	d := device(snmpd(t), "lo")
	d.SNMP.Version = "1"
	c := collector(t)
	for range 2 {
		r, err := c.Collect(context.Background(), d)
		if err != nil || len(r.Interfaces) != 1 || !r.Interfaces[0].InOctets.OK || r.Interfaces[0].InOctets.Value.Bits != 32 {
			t.Fatalf("%v, %+v", err, r.Interfaces)
		}
	}
}

func TestAnswersFromAnotherAddressAreTakenWhereTheSiteFileSaysSo(t *testing.T) { // A1-18
	for _, version := range []string{"2c", "3"} {
		t.Run(version, func(t *testing.T) {
			a := tableAgent(nil)
			a.Always(snmptest.OtherSource)
			d := tableDevice(t, a, version)
			d.SNMP.AnySource = true
			r, err := collector(t).Collect(context.Background(), d)
			if err != nil || len(r.Interfaces) != 2 {
				t.Fatalf("%v, %+v", err, r)
			}
			asked := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), d.SNMP.Port).String()
			if !strings.HasPrefix(r.AnsweredFrom, "127.0.0.1:") || r.AnsweredFrom == asked {
				t.Errorf("answered from %q, asked %s", r.AnsweredFrom, asked)
			}
		})
	}
	t.Run("another number is no answer", func(t *testing.T) {
		a := tableAgent(nil)
		a.Always(snmptest.Steps(snmptest.OtherSource, snmptest.WrongID))
		d := tableDevice(t, a, "2c")
		d.SNMP.AnySource, d.SNMP.Timeout = true, 50*time.Millisecond
		if _, err := collector(t).Collect(context.Background(), d); !errors.Is(err, devices.ErrTimeout) {
			t.Errorf("error %v, want a time-out", err)
		}
	})
	t.Run("the right address is no news", func(t *testing.T) {
		d := tableDevice(t, tableAgent(nil), "2c")
		d.SNMP.AnySource = true
		if r, err := collector(t).Collect(context.Background(), d); err != nil || r.AnsweredFrom != "" {
			t.Errorf("%v, answered from %q", err, r.AnsweredFrom)
		}
	})
}
