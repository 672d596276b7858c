// Package intaketest helps to test receivers: a sink that can be waited at, and a receiver that ends with its test.
package intaketest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

// Inbox is a sink that can be waited at. It keeps events.
type Inbox struct {
	// Came is ready to receive from after records were put.
	Came chan struct{}

	mu     sync.Mutex
	events []timeline.Event
}

// NewInbox returns an empty inbox.
func NewInbox() *Inbox { return &Inbox{Came: make(chan struct{}, 1)} }

// Put keeps the record if it is an event.
func (b *Inbox) Put(r timeline.Record) {
	if e, ok := r.(timeline.Event); ok {
		b.mu.Lock()
		b.events = append(b.events, e)
		b.mu.Unlock()
	}
	select {
	case b.Came <- struct{}{}:
	default:
	}
}

// Events returns the events so far, in the order in which they came. The slice is the caller's.
func (b *Inbox) Events() []timeline.Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.events)
}

// Wait returns the events as soon as there are n; after 20 s the test fails.
func (b *Inbox) Wait(t *testing.T, n int) []timeline.Event {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		if got := b.Events(); len(got) >= n {
			return got
		}
		select {
		case <-b.Came:
		case <-limit:
			t.Fatalf("%d events came, want %d: %+v", len(b.Events()), n, b.Events())
		}
	}
}

// Serve runs a receiver until the test ends, and fails the test if it ends with an error.
func Serve(t *testing.T, serve func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
