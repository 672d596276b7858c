package devices

import "fmt"

// Opt is a value that a device may or may not have given. The zero Opt is "not given", which is never 0.
type Opt[T any] struct {
	Value T
	OK    bool
}

// Some returns a value that was given.
func Some[T any](v T) Opt[T] { return Opt[T]{v, true} }

// None returns a value that was not given.
func None[T any]() Opt[T] { return Opt[T]{} }

// Or returns the value, or def if it was not given.
func (o Opt[T]) Or(def T) T {
	if o.OK {
		return o.Value
	}
	return def
}

// String returns the value as fmt prints it, or "?" if it was not given.
func (o Opt[T]) String() string {
	if !o.OK {
		return "?"
	}
	return fmt.Sprint(o.Value)
}

// Counter is a lifetime total as a device gave it. Only [Differ] subtracts counters.
type Counter struct {
	Value uint64
	Bits  uint8 // the width at which it wraps, 32 or 64; 0 if not known (command-line counters)
}

// C32 returns a counter that wraps at 2^32 (Counter32).
func C32(v uint64) Opt[Counter] { return Some(Counter{v, 32}) }

// C64 returns a counter that wraps at 2^64 (Counter64).
func C64(v uint64) Opt[Counter] { return Some(Counter{v, 64}) }

// CCLI returns a counter from a command's output, whose width is not known.
func CCLI(v uint64) Opt[Counter] { return Some(Counter{v, 0}) }
