package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/sirikothe/gotextfsm"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/parse"
)

// parseSpeed is how long the show interfaces of 48 ports takes to parse, beside a TextFSM template that picks 24 fields
// of the same text. Both are asked for the same ports, and checked.
func parseSpeed(full bool, _ []string) error {
	const ports, aim = 48, 20
	text := strings.Builder{}
	for i := range ports {
		fmt.Fprintf(&text, portText, i+1, i+1)
	}
	wait := 300 * time.Millisecond
	if full {
		wait = 3 * time.Second
	}
	var fsm gotextfsm.TextFSM
	if err := fsm.ParseString(template); err != nil {
		return err
	}
	ours, err := perRun(wait, func() error {
		var r devices.Reading
		err := parse.Into("cisco_iosxe", "show interfaces", parse.Input{Text: text.String(), Span: timeline.Span{}}, &r)
		if err == nil && (len(r.Interfaces) != ports || r.Interfaces[ports-1].FCS != devices.CCLI(3)) {
			err = fmt.Errorf("%d ports were read", len(r.Interfaces))
		}
		return err
	})
	if err != nil {
		return err
	}
	theirs, err := perRun(wait, func() error {
		out := gotextfsm.ParserOutput{}
		if err := out.ParseTextString(text.String(), fsm, true); err != nil {
			return err
		}
		if len(out.Dict) != ports || out.Dict[ports-1]["CRC"] != "3" {
			return fmt.Errorf("the template read %d ports", len(out.Dict))
		}
		return nil
	})
	if err != nil {
		return err
	}
	ratio := theirs.Seconds() / ours.Seconds()
	fmt.Printf("show interfaces of %d ports (%d bytes): parser %s, TextFSM in Go %s: %.1f times as fast\n", ports, text.Len(), ours.Round(time.Microsecond), theirs.Round(time.Microsecond), ratio)
	if ratio < aim {
		return fmt.Errorf("%.1f times as fast, not %d", ratio, aim)
	}
	return nil
}

// perRun returns the shortest time that f takes, of as many runs as fit into the wait and at least three. The shortest
// is what the work takes; longer ones are the machine's.
func perRun(wait time.Duration, f func() error) (time.Duration, error) {
	best := time.Duration(0)
	began := time.Now()
	for n := 0; n < 3 || time.Since(began) < wait; n++ {
		t := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		if d := time.Since(t); best == 0 || d < best {
			best = d
		}
	}
	return best, nil
}

const portText = `GigabitEthernet1/0/%d is up, line protocol is up (connected)
  Hardware is Gigabit Ethernet, address is 0011.2233.44%02d (bia 0011.2233.4401)
  Description: to the desk
  MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec,
     reliability 255/255, txload 1/255, rxload 1/255
  Encapsulation ARPA, loopback not set
  Keepalive set (10 sec)
  Full-duplex, 1000Mb/s, media type is 10/100/1000BaseTX
  input flow-control is off, output flow-control is unsupported
  ARP type: ARPA, ARP Timeout 04:00:00
  Last input 00:00:11, output 00:00:00, output hang never
  Last clearing of "show interface" counters never
  Input queue: 0/75/0/0 (size/max/drops/flushes); Total output drops: 12
  Queueing strategy: fifo
  Output queue: 0/40 (size/max)
  5 minute input rate 2000 bits/sec, 2 packets/sec
  5 minute output rate 1000 bits/sec, 1 packets/sec
     1000 packets input, 64000 bytes, 0 no buffer
     Received 5 broadcasts (4 multicasts)
     0 runts, 0 giants, 0 throttles
     3 input errors, 3 CRC, 0 frame, 0 overrun, 0 ignored
     0 watchdog, 4 multicast, 0 pause input
     0 input packets with dribble condition detected
     2000 packets output, 128000 bytes, 0 underruns
     0 output errors, 0 collisions, 1 interface resets
     0 unknown protocol drops
     0 babbles, 0 late collision, 0 deferred
     0 lost carrier, 0 no carrier, 0 pause output
     0 output buffer failures, 0 output buffers swapped out
`

// template picks the same figures as a template of the usual kind does.
const template = `Value Required INTERFACE (\S+)
Value STATUS (.+?)
Value PROTOCOL (.+?)
Value HARDWARE ([\w+ ]+)
Value MAC ([a-fA-F0-9.]+)
Value DESCRIPTION (.+?)
Value MTU (\d+)
Value BANDWIDTH (\d+\s+\w+)
Value DUPLEX (.+?)
Value SPEED (.+?)
Value LAST_INPUT (.+?)
Value INPUT_DROPS (\d+)
Value OUTPUT_DROPS (\d+)
Value INPUT_RATE (\d+)
Value OUTPUT_RATE (\d+)
Value INPUT_PACKETS (\d+)
Value RUNTS (\d+)
Value GIANTS (\d+)
Value INPUT_ERRORS (\d+)
Value CRC (\d+)
Value FRAME (\d+)
Value OVERRUN (\d+)
Value OUTPUT_PACKETS (\d+)
Value OUTPUT_ERRORS (\d+)

Start
  ^\S+\s+is\s+.+?,\s+line\s+protocol -> Continue.Record
  ^${INTERFACE}\s+is\s+${STATUS},\s+line\s+protocol\s+is\s+${PROTOCOL}\s*$$
  ^\s+Hardware\s+is\s+${HARDWARE},\s+address\s+is\s+${MAC}
  ^\s+Description:\s+${DESCRIPTION}\s*$$
  ^\s+MTU\s+${MTU}.*BW\s+${BANDWIDTH}
  ^\s+${DUPLEX},\s+${SPEED},\s+media
  ^\s+Last\s+input\s+${LAST_INPUT},
  ^\s+Input\s+queue:\s+\d+/\d+/${INPUT_DROPS}/\d+.*drops:\s+${OUTPUT_DROPS}
  ^.*input\s+rate\s+${INPUT_RATE}
  ^.*output\s+rate\s+${OUTPUT_RATE}
  ^\s+${INPUT_PACKETS}\s+packets\s+input
  ^\s+${RUNTS}\s+runts,\s+${GIANTS}\s+giants
  ^\s+${INPUT_ERRORS}\s+input\s+errors,\s+${CRC}\s+CRC,\s+${FRAME}\s+frame,\s+${OVERRUN}\s+overrun
  ^\s+${OUTPUT_PACKETS}\s+packets\s+output
  ^\s+${OUTPUT_ERRORS}\s+output\s+errors
`
