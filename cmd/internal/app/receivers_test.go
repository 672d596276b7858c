package app

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/peertest"
)

func TestReceiversOfASiteFile(t *testing.T) {
	t.Setenv("TRAP_COMMUNITY", "seldom")
	t.Setenv("TRAP_AUTH", "authentic-pass")
	plan, err := ParseSite("site.yaml", []byte(`
devices:
  - {name: sw1, address: 192.0.2.1}
receivers:
  syslog: {listen: ["5514", "tls://0.0.0.0:6514"], relays: [192.0.2.9, 198.51.100.0/24]}
  traps:
    listen: 0.0.0.0:5162
    community: env:TRAP_COMMUNITY
    users: [{user: watch, auth: SHA-256, auth_pass: env:TRAP_AUTH}]
    engine_id: 0x8000000004616263
`), &Secrets{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(plan.Syslog.Listen, plan.Traps.Listen, plan.Syslog.Relays), "[127.0.0.1:5514 tls://0.0.0.0:6514] [0.0.0.0:5162] [192.0.2.9/32 198.51.100.0/24]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if c := plan.Traps; len(c.Communities) != 1 || c.Communities[0].Reveal() != "seldom" || len(c.Users) != 1 || c.Users[0].AuthPass.Reveal() != "authentic-pass" || len(c.Engine) != 8 {
		t.Errorf("%+v", c)
	}
	if len(plan.Senders) != 1 || !slices.ContainsFunc(plan.Warnings, func(w string) bool { return strings.Contains(w, "0.0.0.0:5162") }) {
		t.Errorf("senders %v, warnings %q", plan.Senders, plan.Warnings)
	}
	if !slices.Contains(plan.Secrets, "seldom") {
		t.Error("the redactor does not know the community")
	}
}

func TestMistakesInReceivers(t *testing.T) {
	for text, want := range map[string]string{
		"receivers: {syslog: {}}":                                      "receivers.syslog.listen: missing",
		"receivers: {syslog: {listen: nonsense}}":                      "receivers.syslog.listen",
		"receivers: {syslog: {listen: \"5514\", relays: [x]}}":         "receivers.syslog.relays",
		"receivers: {traps: {listen: \"5162\", engine_id: xyz}}":       "receivers.traps.engine_id",
		"receivers: {traps: {listen: \"5162\", users: [{auth: SHA}]}}": "snmp.user: missing",
		"receivers: {trap: {}}":                                        "did you mean \"traps\"",
	} {
		_, err := ParseSite("site.yaml", []byte("devices: [{name: sw1, address: 192.0.2.1}]\n"+text+"\n"), &Secrets{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestWatchReceivesLinesAndTellsHowMany(t *testing.T) {
	port := strconv.Itoa(int(peertest.Port(t, "127.0.0.1")))
	plan, err := ParseSite("site.yaml", []byte("devices: [{name: sw1, address: 127.0.0.1}]\n"), &Secrets{})
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.ReceiveAt("udp://127.0.0.1:"+port, ""); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // until one is received
		c, err := net.Dial("udp", "127.0.0.1:"+port)
		if err != nil {
			return
		}
		defer c.Close()
		for n := range 200 {
			c.Write([]byte("<187>Nov 30 14:02:05 sw1 %LINK-3-UPDOWN: Interface Gi1/0/1, changed state to down"))
			select {
			case <-ctx.Done():
				return
			case <-time.After(50 * time.Millisecond):
			}
			if n == 20 {
				cancel()
			}
		}
	}()
	res, err := Watch(ctx, plan, Options{Session: filepath.Join(t.TempDir(), "x.whydrop"), For: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	events := res.Snapshot.EventsOf(timeline.Port("sw1", "Gi1/0/1"), timeline.EventOper)
	if len(events) != 1 {
		t.Errorf("%d events: %+v", len(events), res.Snapshot.Events())
	}
	if !slices.ContainsFunc(res.Document.Notes, func(w string) bool { return strings.HasPrefix(w, "syslog: ") && strings.Contains(w, "received") }) {
		t.Errorf("notes %q", res.Document.Notes)
	}
}

func TestTrapsNeedSomebodyToBelieve(t *testing.T) {
	plan, err := ParseSite("site.yaml", []byte("devices: [{name: sw1, address: 127.0.0.1}]\n"), &Secrets{})
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.ReceiveAt("", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	if _, err := Watch(context.Background(), plan, Options{Session: filepath.Join(t.TempDir(), "x.whydrop"), For: time.Second}); err == nil || !strings.Contains(err.Error(), "community") {
		t.Errorf("%v", err)
	}
	var b strings.Builder
	if err := Check(context.Background(), plan, &b); err == nil || !strings.Contains(b.String(), "FAIL  receivers") {
		t.Errorf("%v: %s", err, b.String())
	}
}
