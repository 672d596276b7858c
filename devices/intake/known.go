package intake

import (
	"sync"

	"whydrop/devices"
)

// Known holds what polling learned of the devices last: their clocks and the names of their ports. The zero value is
// ready; it may be used by several goroutines. A nil *Known knows nothing.
type Known struct {
	mu    sync.Mutex
	ticks map[string]devices.Clock
	local map[string]devices.LocalClock
	ports map[portIndex]string
}

type portIndex struct {
	device string
	index  uint32
}

// Note keeps what a reading says of clocks and ports.
func (k *Known) Note(r devices.Reading) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ticks == nil {
		k.ticks, k.local, k.ports = map[string]devices.Clock{}, map[string]devices.LocalClock{}, map[portIndex]string{}
	}
	if r.Clock.OK && !r.Clock.Value.Span.IsZero() {
		k.ticks[r.Device] = r.Clock.Value
	}
	if r.LocalClock.OK {
		k.local[r.Device] = r.LocalClock.Value
	}
	for _, i := range r.Interfaces {
		if i.Index.OK {
			k.ports[portIndex{r.Device, i.Index.Value}] = i.Name
		}
	}
}

// Ticks returns the device's sysUpTime as it was read last.
func (k *Known) Ticks(device string) (devices.Clock, bool) {
	if k == nil {
		return devices.Clock{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	v, ok := k.ticks[device]
	return v, ok
}

// Local returns the device's wall clock as it was read last, if it is a sound one.
func (k *Known) Local(device string) (devices.LocalClock, bool) {
	if k == nil {
		return devices.LocalClock{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	v, ok := k.local[device]
	return v, ok && v.Quality == ""
}

// Port returns the name of the device's port with that ifIndex, "" if it is not watched.
func (k *Known) Port(device string, index uint32) string {
	if k == nil {
		return ""
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ports[portIndex{device, index}]
}
