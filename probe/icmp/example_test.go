package icmp_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/icmp"
)

// A heartbeat by ICMP echo to a host that runs nothing of ours.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	var store timeline.Store
	pinger := icmp.Pinger{Name: "a-b", To: "127.0.0.1"}
	switch err := pinger.Probe(ctx, &store); {
	case errors.Is(err, icmp.ErrPermission):
		fmt.Println("this user may not send echo requests")
	case err != nil:
		fmt.Println(err)
	}
	for _, e := range store.Snapshot().EventsOf(pinger.Path(), timeline.EventOutage) {
		fmt.Println(e.Span.From, e.Span.Width(), e.Text)
	}
}
