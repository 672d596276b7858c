package poll

import (
	"context"
	"sync"
	"time"

	"whydrop/devices"
	"whydrop/devices/cli"
)

// namingWait is how long the command line waits for SNMP to tell the platform, before it finds out by itself.
const namingWait = 3 * time.Second

// naming finds out a device's platform from what it says of itself by SNMP, so that the command line need not ask.
type naming struct {
	known chan struct{} // closed after the first answer or failure of SNMP; nil: nothing to wait for

	mu       sync.Mutex
	platform string // "" : the command line finds out by itself
	settled  bool   // the platform does not change any more
}

// newNaming returns the naming of a device that is asked by these sources.
func newNaming(d devices.Device, list []Source) *naming {
	n := &naming{platform: d.Platform, settled: d.Platform != ""}
	if n.settled {
		return n
	}
	for _, s := range list {
		if s.Name == SNMP.Name {
			n.known = make(chan struct{})
		}
	}
	return n
}

// hear takes SNMP's first answer; a zero reading is a failure.
func (n *naming) hear(r devices.Reading) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil {
		return
	}
	if name, ok := cli.Detect(cli.Signs{SysDescr: r.SysDescr.Value}); ok && !n.settled {
		n.platform = name
	}
	close(n.known)
	n.known = nil
}

// wait returns when the platform is known or won't be for now. It is false if ctx ended.
func (n *naming) wait(ctx context.Context) bool {
	n.mu.Lock()
	known := n.known
	n.mu.Unlock()
	if known == nil {
		return true
	}
	timer := time.NewTimer(namingWait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-known:
	case <-timer.C:
	}
	return true
}

// settle returns the device as the command line is to ask it. From then on its platform stays.
func (n *naming) settle(d devices.Device) devices.Device {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.settled = true
	d.Platform = n.platform
	return d
}
