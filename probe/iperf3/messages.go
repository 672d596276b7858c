package iperf3

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"
)

// message is what a server said: a state, and the text or the numbers that belong to it. The server's results
// follow EXCHANGE_RESULTS without a state of their own: they come as a second message of that state.
type message struct {
	state state
	text  []byte
	code  code
}

// readMessages reads a server's messages until an error, which it returns; emit is called with each and returns
// false to end it. begun, if not nil, is called when a message has begun whose rest must come in time, and with
// false when it is complete.
func readMessages(r io.Reader, begun func(bool), emit func(message) bool) error {
	if begun == nil {
		begun = func(bool) {}
	}
	for {
		begun(false)
		s, err := readState(r)
		if err != nil {
			return err
		}
		m := message{state: s}
		begun(true)
		switch s {
		case testStart, testRunning, paramExchange, createStreams, serverTerminate, displayResults, accessDenied:
		case serverError:
			var b [8]byte
			if _, err := io.ReadFull(r, b[:]); err != nil {
				return fmt.Errorf("%v: %w", s, err)
			}
			m.code = code(int32(binary.BigEndian.Uint32(b[:4])))
		case stateHello, stateGrant, stateQueued, stateReport:
			if m.text, err = readText(r, maxOurs); err != nil {
				return fmt.Errorf("%v: %w", s, err)
			}
		case exchangeResults:
			if !emit(m) {
				return nil
			}
			begun(false) // the server answers only after the client's own results
			if m.text, err = readText(r, maxResults); err != nil {
				return fmt.Errorf("results: %w", err)
			}
		default:
			return fmt.Errorf("%w: %v from the server", errProtocol, s)
		}
		if !emit(m) {
			return nil
		}
	}
}

// answerWait is how long the rest of a message may take.
const answerWait = stateWait

func deadlines(set func(time.Time) error) func(bool) {
	return func(on bool) {
		if on {
			_ = set(time.Now().Add(answerWait))
		} else {
			_ = set(time.Time{})
		}
	}
}
