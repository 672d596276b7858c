package cli

// cleaner takes terminal control out of a device's output as it arrives (ECMA-48): CSI, OSC and other escape
// sequences, also where they are cut by the end of a packet, and the control characters other than newline, tab
// and backspace. Carriage returns are dropped: a newline ends a line.
type cleaner struct {
	state escape
	n     int // bytes of the sequence so far
}

type escape uint8

const (
	plain        escape = iota
	afterESC            // ESC
	inCSI               // ESC [ ... final byte
	inString            // ESC ] (OSC), P (DCS), X, ^ or _ ... BEL or ESC \
	inStringESC         // in such a string, after ESC
	intermediate        // ESC and an intermediate byte: one more follows
)

// maxEscape is how long a sequence may be; what is longer was none, and the text after it is shown again.
const maxEscape = 4096

const esc = 0x1b

// clean returns what is left of b. It works in place.
func (c *cleaner) clean(b []byte) []byte {
	out := b[:0]
	for _, x := range b {
		if c.state == plain {
			switch {
			case x == esc:
				c.state, c.n = afterESC, 0
			case x == '\n', x == '\t', x == '\b', x >= ' ' && x != 0x7f:
				out = append(out, x)
			}
			continue
		}
		c.step(x)
	}
	return out
}

// step takes one more byte of an escape sequence.
func (c *cleaner) step(x byte) {
	if c.n++; c.n > maxEscape {
		c.state = plain
		return
	}
	switch c.state {
	case afterESC:
		switch {
		case x == '[':
			c.state = inCSI
		case x == ']', x == 'P', x == 'X', x == '^', x == '_':
			c.state = inString
		case x >= 0x20 && x <= 0x2f:
			c.state = intermediate
		case x == esc:
		default:
			c.state = plain
		}
	case inCSI:
		if x >= 0x40 && x <= 0x7e || x == '\n' {
			c.state = plain
		}
	case inString:
		switch x {
		case 0x07:
			c.state = plain
		case esc:
			c.state = inStringESC
		}
	case inStringESC:
		if x == '\\' {
			c.state = plain
		} else {
			c.state = inString
		}
	case intermediate:
		c.state = plain
	}
}

// rubOut carries out the backspaces in a line: the cursor goes back, and what follows overwrites.
func rubOut(line []byte) []byte {
	out := make([]byte, 0, len(line))
	at := 0
	for _, x := range line {
		switch {
		case x == '\b':
			at = max(at-1, 0)
		case at < len(out):
			out[at] = x
			at++
		default:
			out = append(out, x)
			at++
		}
	}
	return out
}
