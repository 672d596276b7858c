package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"whydrop/devices"
	"whydrop/devices/snmp/snmptest"
)

// page is a writer that can be read meanwhile.
type page struct {
	mu sync.Mutex
	b  strings.Builder
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.Write(b)
}

func (p *page) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.String()
}

// quickAndStuck is a device that refuses at once and one that never answers.
func quickAndStuck(t *testing.T) Plan {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0") // heard by nobody
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	a := &snmptest.Agent{Community: "public"}
	a.Set("1.3.6.1.2.1.1.3.0", snmptest.Ticks(5000))
	entry := func(name string, port uint16) devices.Device {
		return devices.Device{Name: name, Address: "127.0.0.1", Ports: []string{"Gi1/0/1"}, SNMP: &devices.SNMP{
			Version: "2c", Port: port, Community: devices.NewSecret("public"), Timeout: 200 * time.Millisecond, Retries: 1000,
		}}
	}
	return Plan{Devices: []devices.Device{
		entry("stuck", uint16(conn.LocalAddr().(*net.UDPAddr).Port)), entry("quick", snmptest.NewAgent(t, a).Port()),
	}}
}

func TestCheckWritesEachDeviceWhenItIsDoneAndKeepsThatWhenInterrupted(t *testing.T) {
	plan := quickAndStuck(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var out page
	end := make(chan error, 1)
	go func() { end <- Check(ctx, plan, &out) }()
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(out.String(), "FAIL  quick"); {
		if time.Now().After(deadline) {
			t.Fatalf("nothing of the quick device while the other is stuck: %q", out.String())
		}
		select {
		case err := <-end:
			t.Fatalf("ended with %v before it was interrupted", err)
		case <-time.After(time.Millisecond):
		}
	}
	cancel()
	err := <-end
	if e := (Exit{}); !errors.As(err, &e) || e.Code != ExitInterrupted {
		t.Errorf("error %v, want to be interrupted", err)
	}
	text := out.String()
	for _, want := range []string{"ok    quick          snmp", "FAIL  quick          ports", "cut   stuck", "0 of 2 passed"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "FAIL  stuck") {
		t.Errorf("the interrupted device is called broken:\n%s", text)
	}
}

func TestCheckKeepsTheLinesOfADeviceTogether(t *testing.T) {
	var plan Plan
	for n := range 6 {
		d := quickAndStuck(t).Devices[1]
		d.Name = fmt.Sprintf("sw%d", n)
		plan.Devices = append(plan.Devices, d)
	}
	var out page
	if e := (Exit{}); !errors.As(Check(context.Background(), plan, &out), &e) || e.Code != ExitNotMeasured {
		t.Errorf("exit code %d", e.Code)
	}
	var blocks []string
	for line := range strings.Lines(out.String()) {
		if f := strings.Fields(line); len(f) > 2 && strings.HasPrefix(f[1], "sw") {
			blocks = append(blocks, f[1])
		}
	}
	if n := len(blocks); n != 18 || len(slices.Compact(blocks)) != 6 {
		t.Errorf("%d lines in blocks of\n%s", n, out.String())
	}
}
