package runner_test

import (
	"fmt"

	"whydrop/probe/runner"
)

// What a site file's probe becomes.
func ExampleProbers() {
	probers, err := runner.Probers(runner.Spec{Path: "a-b", To: "10.10.0.20", Rate: 50e6, Kinds: []string{"iperf3", "heartbeat"}})
	fmt.Println(len(probers), err)
	_, err = runner.Probers(runner.Spec{Path: "a-b", To: "10.10.0.20", Kinds: []string{"ping"}})
	fmt.Println(err)
	// Output:
	// 2 <nil>
	// probe of path a-b: no kind "ping"; there are dns, heartbeat, host, http, https, icmp, iperf3, stamp, tcp-connect, udp-connect
}
