//go:build !linux

package host

// ReadUDP returns the counters of datagrams; this system does not tell.
func ReadUDP() (UDPCounters, error) { return UDPCounters{}, errNotGiven }
