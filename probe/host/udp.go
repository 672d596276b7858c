package host

// UDPCounters is what the kernel counted of the datagrams of all programs of this host since the system started,
// IPv4 and IPv6 together.
type UDPCounters struct {
	Delivered uint64 // handed to programs
	NoPort    uint64 // nobody listened
	Errors    uint64 // not delivered for another reason, RcvbufErrors among them
	Full      uint64 // RcvbufErrors: not delivered because the socket's receive buffer was full
	SendFull  uint64 // SndbufErrors: not sent for want of buffer
	Checksum  uint64 // damaged
}

// Damaged returns the datagrams that were not delivered for another reason than want of buffer.
func (c UDPCounters) Damaged() uint64 {
	if c.Errors < c.Full {
		return 0 // the files are read one after the other
	}
	return c.Errors - c.Full
}
