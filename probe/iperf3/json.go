package iperf3

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"whydrop/probe/iperfjson"
)

// Limits of what a peer may send.
const (
	maxParams  = 8 << 10  // MAX_PARAMS_JSON_STRING of iperf_api.c
	maxResults = 64 << 20 // of a server, with its output: an hour in intervals of 10 ms
	maxCounts  = 1 << 20  // of a client: 128 streams need 25 KB
	maxOurs    = 64 << 10 // the texts after our own states
	maxStreams = 128      // MAX_STREAMS of iperf.h
)

// errTooLong says that a peer announced a text above its limit.
var errTooLong = errors.New("text is longer than allowed")

// readText reads a text after its 4-byte length. Memory is taken as bytes arrive, not as they are announced.
func readText(r io.Reader, limit uint32) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, fmt.Errorf("length of text: %w", err)
	}
	n := uint32(head[0])<<24 | uint32(head[1])<<16 | uint32(head[2])<<8 | uint32(head[3])
	if n > limit {
		return nil, fmt.Errorf("%w: %d bytes announced, at most %d", errTooLong, n, limit)
	}
	var buf bytes.Buffer
	got, err := buf.ReadFrom(io.LimitReader(r, int64(n)))
	if err == nil && got < int64(n) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("text of %d bytes, %d came: %w", n, got, err)
	}
	return buf.Bytes(), nil
}

// frame returns v as a JSON text after its length.
func frame(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("iperf3: encode: %w", err)
	}
	n := uint32(len(b))
	return append([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, b...), nil
}

// decode reads the first JSON value of a text into v; what follows it is left alone. Bare nan and inf, which C
// programs print for what they could not compute, count as null.
func decode(text []byte, v any) error {
	if err := json.NewDecoder(bytes.NewReader(iperfjson.Clean(text))).Decode(v); err != nil {
		return fmt.Errorf("not the JSON that was expected: %w", err)
	}
	return nil
}

// number is a JSON number that may be missing. Another type is an error.
type number struct {
	value float64
	whole int64 // exact, if isInt
	isInt bool
	ok    bool
}

// UnmarshalJSON reads a number or null.
func (n *number) UnmarshalJSON(b []byte) error {
	*n = number{}
	s := string(b)
	if s == "null" {
		return nil
	}
	if s == "" || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return errors.New("a number was expected")
	}
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		*n = number{value: float64(i), whole: i, isInt: true, ok: true}
		return nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return errors.New("a number is out of range")
	}
	n.value, n.ok = f, true
	if f == math.Trunc(f) && math.Abs(f) < 1<<62 {
		n.whole, n.isInt = int64(f), true
	}
	return nil
}

// integer returns the number, def if it is missing, or an error that names the field if it is no whole number
// from least to most.
func (n number) integer(field string, def, least, most int64) (int64, error) {
	if !n.ok {
		return def, nil
	}
	if !n.isInt || n.whole < least || n.whole > most {
		return 0, fmt.Errorf("%s is %v, want a whole number from %d to %d", field, n.value, least, most)
	}
	return n.whole, nil
}

// real returns the number, 0 if it is missing, or an error if it lies outside 0 to most.
func (n number) real(field string, most float64) (float64, error) {
	if !n.ok {
		return 0, nil
	}
	if n.value < 0 || n.value > most {
		return 0, fmt.Errorf("%s is %v, want 0 to %v", field, n.value, most)
	}
	return n.value, nil
}

// flag is a JSON truth value that may be missing; old peers give 0 and 1.
type flag bool

// UnmarshalJSON reads true, false, a number or null.
func (f *flag) UnmarshalJSON(b []byte) error {
	switch s := string(b); s {
	case "null", "false":
		*f = false
	case "true":
		*f = true
	default:
		var n number
		if err := n.UnmarshalJSON(b); err != nil {
			return errors.New("true or false was expected")
		}
		*f = n.value != 0
	}
	return nil
}
