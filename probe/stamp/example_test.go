package stamp_test

import (
	"context"
	"fmt"
	"net"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/stamp"
)

// A reflector and a heartbeat to it on one host. Between two hosts the reflector listens on its own address.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()

	conn, err := stamp.Listen(ctx, ":0") // loopback, a free port
	if err != nil {
		fmt.Println(err)
		return
	}
	port := conn.LocalAddr().(*net.UDPAddr).Port
	done := make(chan error)
	go func() { done <- new(stamp.Reflector).Serve(ctx, conn) }()

	var store timeline.Store
	sender := stamp.Sender{Name: "a-b", To: "127.0.0.1", Port: uint16(port)}
	if err := sender.Probe(ctx, &store); err != nil {
		fmt.Println(err)
	}
	if err := <-done; err != nil {
		fmt.Println(err)
	}

	s := store.Snapshot()
	loss, _ := s.Last(sender.Path(), timeline.LossForward)
	fmt.Println("round-trip times measured:", len(s.Series(sender.Path(), timeline.RTT)) > 0)
	fmt.Println("loss on the way there:", loss.Value)
	fmt.Println("outages:", len(s.EventsOf(sender.Path(), timeline.EventOutage)))
	// Output:
	// round-trip times measured: true
	// loss on the way there: 0
	// outages: 0
}
