package iperf3

import "fmt"

// state is one signed byte on the control connection.
type state int8

// iperf3's states (iperf_api.h).
const (
	testStart       state = 1
	testRunning     state = 2
	testEnd         state = 4
	paramExchange   state = 9
	createStreams   state = 10
	serverTerminate state = 11
	clientTerminate state = 12
	exchangeResults state = 13
	displayResults  state = 14
	iperfDone       state = 16
	accessDenied    state = -1
	serverError     state = -2
)

// Our own states, used only with a peer that named itself as ours.
const (
	stateHello  state = 100
	stateProof  state = 101
	stateGrant  state = 102
	stateQueued state = 103
	stateReport state = 104
)

var stateNames = map[state]string{
	testStart: "TEST_START", testRunning: "TEST_RUNNING", testEnd: "TEST_END", paramExchange: "PARAM_EXCHANGE",
	createStreams: "CREATE_STREAMS", serverTerminate: "SERVER_TERMINATE", clientTerminate: "CLIENT_TERMINATE",
	exchangeResults: "EXCHANGE_RESULTS", displayResults: "DISPLAY_RESULTS", iperfDone: "IPERF_DONE",
	accessDenied: "ACCESS_DENIED", serverError: "SERVER_ERROR",
	stateHello: "HELLO", stateProof: "PROOF", stateGrant: "GRANT", stateQueued: "QUEUED", stateReport: "REPORT",
}

// String returns the state's name in iperf3's sources, or its number.
func (s state) String() string {
	if n, ok := stateNames[s]; ok {
		return n
	}
	return fmt.Sprintf("state %d", int8(s))
}

// code is an error number of iperf3 (enum in iperf_api.h), sent after SERVER_ERROR.
type code int32

const (
	codeDuration code = 5  // test duration too long
	codeStreams  code = 6  // number of parallel streams too large
	codeUnknown  code = 13 // not implemented
	codeRate     code = 27 // total required bandwidth is larger than the server's limit
)

var codeTexts = map[code]string{
	codeDuration: "the test would be too long for it", codeStreams: "too many streams for it", codeUnknown: "it does not support an option that was asked for",
	codeRate: "the rate is above its limit", 37: "the test would be too long for it", 142: "it wants a user and a password",
	160: "the test was longer than it allows",
}

func (c code) String() string {
	if t, ok := codeTexts[c]; ok {
		return t
	}
	return fmt.Sprintf("iperf3 error %d", int32(c))
}

// streamID returns the number of the i-th stream, counted from 0, as stock iperf3 numbers them: 1, 3, 4, 5 ...
func streamID(i int) int {
	if i == 0 {
		return 1
	}
	return i + 2
}
