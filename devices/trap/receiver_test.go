package trap

import (
	"encoding/hex"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/intake"
	"whydrop/devices/intake/intaketest"
)

func serve(t *testing.T, cfg Config) *Receiver {
	t.Helper()
	r, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	intaketest.Serve(t, r.Serve)
	return r
}

// dropped waits until so many were refused for that reason.
func dropped(t *testing.T, r *Receiver, why string, n uint64) {
	t.Helper()
	limit := time.Now().Add(20 * time.Second)
	for r.Counts().Dropped[why] < n {
		if time.Now().After(limit) {
			t.Fatalf("%s, want %d %s", r.Counts(), n, why)
		}
		time.Sleep(5 * time.Millisecond) // the receiver tells of no refusal
	}
}

// told writes an event in a line.
func toldOf(e timeline.Event) string {
	out := []string{e.Subject.String(), string(e.Type)}
	for _, k := range slices.Sorted(maps.Keys(e.Attrs)) {
		out = append(out, k+"="+e.Attrs[k])
	}
	return strings.Join(out, " ")
}

var (
	public = devices.NewSecret("public")
	sw     = devices.Device{Name: "sw1", Address: "127.0.0.1", Ports: []string{"Gi1/0/1"}}
	v3User = devices.SNMP{Version: "3", User: "watch", Auth: "SHA-256", AuthPass: devices.NewSecret("authentic-pass"), Priv: "AES", PrivPass: devices.NewSecret("private-pass")}
)

// tool returns the path of one of net-snmp's programs.
func tool(t *testing.T, name string) string {
	t.Helper()
	p, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("WHYDROP_REQUIRE_PEERS") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return p
}

// run runs one of net-snmp's programs against a receiver, without any configuration of the host's.
func run(t *testing.T, r *Receiver, name string, args ...string) error {
	t.Helper()
	dir := t.TempDir()
	at := r.Addrs()[0].String()
	for i, a := range args {
		args[i] = strings.ReplaceAll(a, "AGENT", at)
	}
	cmd := exec.Command(tool(t, name), append([]string{"-m", "", "-M", "/nonexistent"}, args...)...)
	cmd.Env = append(os.Environ(), "SNMPCONFPATH="+dir, "SNMP_PERSISTENT_DIR="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

const (
	linkDownOID = "1.3.6.1.6.3.1.1.5.3"
	index7      = "1.3.6.1.2.1.2.2.1.1.7"
)

func TestNotificationsOfNetSNMP(t *testing.T) {
	known := &intake.Known{}
	known.Note(devices.Reading{Device: "sw1", Interfaces: []devices.Interface{{Name: "Gi1/0/1", Index: devices.Some[uint32](7)}}})
	v3 := []string{"-v3", "-u", "watch", "-l", "authPriv", "-a", "SHA-256", "-A", "authentic-pass", "-x", "AES", "-X", "private-pass", "-e", "0x8000000001020304"}
	inform := []string{"-v3", "-u", "watch", "-l", "authPriv", "-a", "SHA-256", "-A", "authentic-pass", "-x", "AES", "-X", "private-pass"}
	down := []string{"AGENT", "", linkDownOID, index7, "i", "7"}
	for name, c := range map[string]struct {
		tool string
		args []string
	}{
		"trap of version 1":    {"snmptrap", []string{"-v1", "-c", "public", "AGENT", "1.3.6.1.4.1.8072", "127.0.0.1", "2", "0", "", index7, "i", "7"}},
		"trap of version 2c":   {"snmptrap", append([]string{"-v2c", "-c", "public"}, down...)},
		"inform of version 2c": {"snmpinform", append([]string{"-v2c", "-c", "public", "-t", "5", "-r", "3"}, down...)},
		"trap of version 3":    {"snmptrap", append(v3, down...)},
		"inform of version 3":  {"snmpinform", append(append(inform, "-t", "5", "-r", "3"), down...)},
	} {
		t.Run(name, func(t *testing.T) {
			box := intaketest.NewInbox()
			r := serve(t, Config{Listen: []string{"127.0.0.1:0"}, Communities: []devices.Secret{public}, Users: []devices.SNMP{v3User}, Devices: []devices.Device{sw}, Known: known, Out: box})
			if err := run(t, r, c.tool, c.args...); err != nil {
				t.Fatalf("%v; %s", err, r.Counts())
			}
			e := box.Wait(t, 1)[0]
			if got, want := toldOf(e), "sw1 Gi1/0/1 if.oper from=up to=down"; got != want || e.Origin.Collector != "trap:sw1" || !strings.HasPrefix(e.Text, "linkDown: ifIndex.7 7") {
				t.Errorf("%s %q %v, want %s", got, e.Text, e.Origin, want)
			}
			if e.Span.Width() > time.Second {
				t.Errorf("dated to %s", e.Span.Width())
			}
		})
	}
}

func TestEveryProtocolOfVersion3(t *testing.T) {
	for _, c := range [][2]string{{"MD5", "DES"}, {"SHA", "AES"}, {"SHA-224", "AES"}, {"SHA-384", "AES-256"}, {"SHA-512", "AES-192"}} {
		t.Run(c[0]+" "+c[1], func(t *testing.T) {
			u := v3User
			u.Auth, u.Priv = c[0], c[1]
			box := intaketest.NewInbox()
			r := serve(t, Config{Listen: []string{"127.0.0.1:0"}, Users: []devices.SNMP{u}, Devices: []devices.Device{sw}, Out: box})
			err := run(t, r, "snmptrap", "-v3", "-u", "watch", "-l", "authPriv", "-a", c[0], "-A", "authentic-pass", "-x", c[1], "-X", "private-pass", "-e", "0x8000000001020304", "AGENT", "", "1.3.6.1.6.3.1.1.5.1")
			if err != nil {
				if strings.Contains(err.Error(), "rotocol") && os.Getenv("WHYDROP_REQUIRE_PEERS") != "1" {
					t.Skipf("this net-snmp lacks it: %v", err)
				}
				t.Fatal(err)
			}
			if e := box.Wait(t, 1)[0]; e.Type != timeline.EventRestart {
				t.Errorf("%+v", e)
			}
		})
	}
}

func TestWhoIsNotBelieved(t *testing.T) {
	level := func(args ...string) []string {
		return append(append([]string{"-v3"}, args...), "-e", "0x8000000001020304", "AGENT", "", linkDownOID, index7, "i", "7")
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"another community":              {[]string{"-v2c", "-c", "private", "AGENT", "", linkDownOID}, WrongCommunity},
		"no authentication":              {level("-u", "watch", "-l", "noAuthNoPriv"), WrongLevel},
		"authentication without privacy": {level("-u", "watch", "-l", "authNoPriv", "-a", "SHA-256", "-A", "authentic-pass"), WrongLevel},
		"another user":                   {level("-u", "other", "-l", "noAuthNoPriv"), WrongUser},
		"another pass phrase":            {level("-u", "watch", "-l", "authPriv", "-a", "SHA-256", "-A", "other-pass-phrase", "-x", "AES", "-X", "private-pass"), WrongUser},
		"another protocol":               {level("-u", "watch", "-l", "authPriv", "-a", "SHA", "-A", "authentic-pass", "-x", "AES", "-X", "private-pass"), WrongUser},
		"another privacy pass phrase":    {level("-u", "watch", "-l", "authPriv", "-a", "SHA-256", "-A", "authentic-pass", "-x", "AES", "-X", "other-pass-phrase"), WrongUser},
	} {
		t.Run(name, func(t *testing.T) {
			box := intaketest.NewInbox()
			r := serve(t, Config{Listen: []string{"127.0.0.1:0"}, Communities: []devices.Secret{public}, Users: []devices.SNMP{v3User}, Devices: []devices.Device{sw}, Out: box})
			if err := run(t, r, "snmptrap", c.args...); err != nil {
				t.Fatal(err)
			}
			dropped(t, r, c.want, 1)
			if c := r.Counts(); c.Stored != 0 || c.Received != 1 {
				t.Errorf("%s", c)
			}
		})
	}
}

// packet makes a version 2c datagram.
func packet(t *testing.T, community, trapOID string, vars ...gosnmp.SnmpPDU) []byte {
	t.Helper()
	p := &gosnmp.SnmpPacket{Version: gosnmp.Version2c, Community: community, PDUType: gosnmp.SNMPv2Trap, RequestID: 7, Logger: quiet}
	p.Variables = append([]gosnmp.SnmpPDU{
		{Name: ".1.3.6.1.2.1.1.3.0", Type: gosnmp.TimeTicks, Value: uint32(360000)},
		{Name: ".1.3.6.1.6.3.1.1.4.1.0", Type: gosnmp.ObjectIdentifier, Value: "." + trapOID},
	}, vars...)
	b, err := p.MarshalMsg()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestNotificationsByMIB(t *testing.T) {
	num := func(oid string, v int) gosnmp.SnmpPDU {
		return gosnmp.SnmpPDU{Name: "." + oid, Type: gosnmp.Integer, Value: v}
	}
	str := func(oid, v string) gosnmp.SnmpPDU {
		return gosnmp.SnmpPDU{Name: "." + oid, Type: gosnmp.OctetString, Value: v}
	}
	addr := func(oid string) gosnmp.SnmpPDU {
		return gosnmp.SnmpPDU{Name: "." + oid, Type: gosnmp.IPAddress, Value: "192.0.2.1"}
	}
	for name, c := range map[string]struct {
		oid  string
		vars []gosnmp.SnmpPDU
		want string
	}{
		"linkUp by name":      {"1.3.6.1.6.3.1.1.5.4", []gosnmp.SnmpPDU{num(index7, 7), str(ifName+".7", "GigabitEthernet1/0/1")}, "sw1 Gi1/0/1 if.oper from=down to=up"},
		"linkUp by number":    {"1.3.6.1.6.3.1.1.5.4", []gosnmp.SnmpPDU{num("1.3.6.1.2.1.2.2.1.1.99", 99)}, "sw1 ifIndex 99 if.oper from=down to=up"},
		"linkDown of nothing": {"1.3.6.1.6.3.1.1.5.3", nil, "sw1 syslog"},
		"coldStart":           {"1.3.6.1.6.3.1.1.5.1", nil, "sw1 sys.restart"},
		"authentication":      {"1.3.6.1.6.3.1.1.5.5", nil, "sw1 syslog facility=SNMP mnemonic=authenticationFailure"},
		"topologyChange":      {"1.3.6.1.2.1.17.0.2", nil, "sw1 stp.topology_change count=1"},
		"newRoot":             {"1.3.6.1.2.1.17.0.1", nil, "sw1 stp.root_bridge"},
		"VRRP":                {"1.3.6.1.2.1.68.0.1", []gosnmp.SnmpPDU{addr(vrrpMasterAddr + ".7.11")}, "sw1 fhrp.state group=11 port=Gi1/0/1 protocol=vrrp to=active"},
		"VRRP version 3":      {"1.3.6.1.2.1.207.0.1", []gosnmp.SnmpPDU{addr(vrrp3MasterAddr + ".7.11.1")}, "sw1 fhrp.state group=11 port=Gi1/0/1 protocol=vrrp to=active"},
		"HSRP":                {"1.3.6.1.4.1.9.9.106.2.0.1", []gosnmp.SnmpPDU{num(hsrpState+".7.10", 6)}, "sw1 fhrp.state group=10 port=Gi1/0/1 protocol=hsrp to=active"},
		"err-disable":         {"1.3.6.1.4.1.9.9.548.0.2", []gosnmp.SnmpPDU{num(errDisableCause+".7.0", 2)}, "sw1 Gi1/0/1 if.err_disabled cause=bpduguard from=up to=disabled"},
		"root guard":          {"1.3.6.1.4.1.9.9.82.2.0.2", []gosnmp.SnmpPDU{num("1.3.6.1.4.1.9.9.82.1.5.2.1.3.20.3", 1)}, "sw1 stp.inconsistent guard=root to=blocked tree=vlan 20"},
		"a MAC address moved": {"1.3.6.1.4.1.9.9.215.2.0.3", []gosnmp.SnmpPDU{str(moveAddress+".0", "\x00\x11\x22\x33\x44\xff"), num(moveVLAN+".0", 10)}, "sw1 fdb.mac_move mac=00:11:22:33:44:ff vlan=10"},
		"storm control":       {"1.3.6.1.4.1.9.9.362.0.2", []gosnmp.SnmpPDU{num(stormStatus+".7.1", 3)}, "sw1 Gi1/0/1 storm.control kind=broadcast to=active"},
		"a stack member went": {"1.3.6.1.4.1.9.9.500.0.0.6", nil, "sw1 stack.member to=removed unit=stack member"},
		"FortiGate failover":  {"1.3.6.1.4.1.12356.101.2.0.401", nil, "sw1 ha.failover"},
		"a line of the log": {"1.3.6.1.4.1.9.9.41.2.0.1", []gosnmp.SnmpPDU{str(clogFacility+".3", "PM"), num(clogSeverity+".3", 5), str(clogMsgName+".3", "ERR_DISABLE"), str(clogMsgText+".3", "udld error detected on Gi1/0/1, putting Gi1/0/1 in err-disable state")},
			"sw1 Gi1/0/1 if.err_disabled cause=udld from=up to=disabled"},
		"words of PAN-OS": {"1.3.6.1.4.1.25461.2.1.3.2.0.652", []gosnmp.SnmpPDU{str("1.3.6.1.4.1.25461.2.1.3.1.304", "HA Group 1: Moved from state Passive to state Active")}, "sw1 ha.failover from=standby to=active"},
		"of no MIB known": {"1.3.6.1.4.1.99999.1", []gosnmp.SnmpPDU{str("1.3.6.1.4.1.99999.2", "\x1b[31mred")}, "sw1 syslog"},
	} {
		t.Run(name, func(t *testing.T) {
			known := &intake.Known{}
			asked := timeline.At(time.Now().Add(-time.Minute))
			known.Note(devices.Reading{Device: "sw1", Interfaces: []devices.Interface{{Name: "Gi1/0/1", Index: devices.Some[uint32](7)}}, Clock: devices.Some(devices.Clock{Ticks: 360000 - 6000, Span: asked})})
			box := intaketest.NewInbox()
			r, err := Open(Config{Communities: []devices.Secret{public}, Devices: []devices.Device{sw}, Known: known, Out: box})
			if err != nil {
				t.Fatal(err)
			}
			got := asked.From.Add(time.Minute + 2*time.Second) // two seconds late
			r.take(intake.Message{From: netip.MustParseAddrPort("127.0.0.1:9"), Received: got, Data: packet(t, "public", c.oid, c.vars...)})
			if len(box.Events()) != 1 {
				t.Fatalf("%s", r.Counts())
			}
			e := box.Events()[0]
			if got := toldOf(e); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			happened := asked.From.Add(time.Minute)
			if e.Span.From.After(happened) || e.Span.To.Before(happened) || e.Span.Width() > 200*time.Millisecond+devices.WrittenAfter {
				t.Errorf("dated %s to %s around it", e.Span.From.Sub(happened), e.Span.To.Sub(happened))
			}
			if strings.Contains(e.Text, "\x1b") || e.Text == "" {
				t.Errorf("text %q", e.Text)
			}
		})
	}
}

func TestOneBadDatagramEndsNothing(t *testing.T) {
	box := intaketest.NewInbox()
	r := serve(t, Config{Listen: []string{"127.0.0.1:0"}, Communities: []devices.Secret{public}, Users: []devices.SNMP{v3User}, Devices: []devices.Device{sw}, Out: box})
	c, err := net.Dial("udp", r.Addrs()[0].String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	good := packet(t, "public", linkDownOID, gosnmp.SnmpPDU{Name: "." + index7, Type: gosnmp.Integer, Value: 7})
	sent := uint64(0)
	for n := range good { // cut everywhere
		if n > 0 {
			c.Write(good[:n])
			sent++
		}
	}
	for _, h := range []string{"30", "3003020103", "30050201010400", "300302010530030201013000", "3080", "30840000ffff0201"} {
		b, _ := hex.DecodeString(h)
		c.Write(b)
		sent++
	}
	dropped(t, r, Malformed, 1)
	c.Write(good)
	box.Wait(t, 1)
	if c := r.Counts(); c.Received != sent+1 || c.Stored+c.Lost() != c.Received || c.Stored != 1 {
		t.Errorf("%s, of %d sent", c, sent+1)
	}
}

func TestAnInformThatIsRepeatedIsOneEvent(t *testing.T) {
	box := intaketest.NewInbox()
	r := serve(t, Config{Listen: []string{"127.0.0.1:0"}, Communities: []devices.Secret{public}, Devices: []devices.Device{sw}, Out: box})
	c, err := net.Dial("udp", r.Addrs()[0].String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	inform := packet(t, "public", linkDownOID, gosnmp.SnmpPDU{Name: "." + index7, Type: gosnmp.Integer, Value: 7})
	inform[slices.Index(inform, 0xa7)] = tagInform
	for range 3 {
		c.Write(inform)
		c.SetReadDeadline(time.Now().Add(20 * time.Second))
		buf := make([]byte, 2048)
		n, err := c.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		p, err := (&gosnmp.GoSNMP{Version: gosnmp.Version2c, Logger: quiet}).SnmpDecodePacket(buf[:n])
		if err != nil || p.PDUType != gosnmp.GetResponse || p.RequestID != 7 || len(p.Variables) != 3 || n > len(inform) {
			t.Fatalf("%+v, %v", p, err)
		}
	}
	dropped(t, r, Again, 2)
	if got := box.Wait(t, 1); len(got) != 1 {
		t.Errorf("%d events", len(got))
	}
}

func TestTimeWindowOfSenders(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		boots, time uint32
		want        bool
	}{
		"later":                           {5, 1010, true},
		"sent a while ago":                {5, 900, true},
		"replayed":                        {5, 800, false},
		"after a boot":                    {6, 3, true},
		"an engine that forgot its boots": {0, 20, true},
		"replayed from before a boot":     {4, 90000, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := &decoder{engines: map[string]engineTime{}}
			d.inTime(header{engine: "e", boots: 5, time: 1000}, now)
			if got := d.inTime(header{engine: "e", boots: c.boots, time: c.time}, now.Add(10*time.Second)); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func FuzzDatagram(f *testing.F) {
	for _, h := range []string{
		"302902010104067075626c6963a71c020107020100020100301130",
		"3082000a02010304000201010201000000", "303e020103301102040a0b0c0d020300ffe30401070201030410300e0400020100020100040004000400301404000400a00e02040102030402010002010030 00",
	} {
		b, _ := hex.DecodeString(strings.ReplaceAll(h, " ", ""))
		f.Add(b)
	}
	p := &gosnmp.SnmpPacket{Version: gosnmp.Version2c, Community: "public", PDUType: gosnmp.SNMPv2Trap, RequestID: 7, Logger: quiet, Variables: []gosnmp.SnmpPDU{
		{Name: ".1.3.6.1.2.1.1.3.0", Type: gosnmp.TimeTicks, Value: uint32(360000)}, {Name: ".1.3.6.1.6.3.1.1.4.1.0", Type: gosnmp.ObjectIdentifier, Value: "." + linkDownOID}, {Name: "." + index7, Type: gosnmp.Integer, Value: 7}}}
	b, err := p.MarshalMsg()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	v1 := slices.Clone(b)
	v1[4] = 0
	f.Add(v1)
	box := &discard{}
	r, err := Open(Config{Communities: []devices.Secret{public}, Users: []devices.SNMP{v3User}, Devices: []devices.Device{sw}, Out: box})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		answered := 0
		m := intake.Message{From: netip.MustParseAddrPort("127.0.0.1:9"), Received: time.Now(), Data: data, Answer: func(b []byte) { answered = len(b) }}
		before := r.Counts()
		r.take(m)
		after := r.Counts()
		if after.Stored+after.Lost() != before.Stored+before.Lost()+1 {
			t.Fatalf("%s, then %s", before, after)
		}
		if answered > 2*len(data)+200 {
			t.Fatalf("%d octets answered to %d", answered, len(data))
		}
	})
}

type discard struct{}

func (*discard) Put(timeline.Record) {}
