package stream

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
)

func TestWhatIsSentComesFromTheSourceAndGoesToTheSink(t *testing.T) {
	whole := payload(300_000)
	tests := []struct {
		name   string
		source io.Reader
		budget *Budget
		want   []byte
	}{
		{"to its end", bytes.NewReader(whole), nil, whole},
		{"in odd pieces", iotest.HalfReader(bytes.NewReader(whole)), nil, whole},
		{"as much as is asked for", bytes.NewReader(whole), NewBudget(200_001), whole[:200_001]},
		{"an empty source", strings.NewReader(""), nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := net.Pipe()
			var sent, got Count
			var to bytes.Buffer
			done := make(chan error, 1)
			go func() { done <- (&Receiver{Sink: &to, Count: &got}).Run(t.Context(), b) }()
			if err := (&Sender{Source: tt.source, Budget: tt.budget, Count: &sent}).Run(t.Context(), a); err != nil {
				t.Fatal(err)
			}
			a.Close()
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(to.Bytes(), tt.want) || sent.Bytes() != uint64(len(tt.want)) {
				t.Errorf("%d bytes arrived and %d were sent, want %d", to.Len(), sent.Bytes(), len(tt.want))
			}
			if len(tt.want) > 0 && (sent.Path() != PathFile || got.Path() != PathFile || got.File() == 0 || sent.File() == 0) {
				t.Errorf("paths %q and %q, %v and %v on files", sent.Path(), got.Path(), sent.File(), got.File())
			}
			if left := tt.budget; left != nil && left.Take(1) != 0 {
				t.Error("the budget is not used up")
			}
		})
	}
}

// full takes the first bytes and then no more.
type full struct{ room int }

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestAFileThatFailsEndsTheTransferWithItsReason(t *testing.T) {
	broken := errors.New("the disk broke")
	a, b := net.Pipe()
	defer b.Close()
	if err := (&Sender{Source: iotest.ErrReader(broken), Count: &Count{}}).Run(t.Context(), a); !errors.Is(err, broken) {
		t.Errorf("the sender ended with %v", err)
	}
	go func() { _, _ = a.Write(payload(1 << 20)) }() // until the receiver has gone
	err := (&Receiver{Sink: &full{200_000}, Count: &Count{}}).Run(t.Context(), b)
	if !errors.Is(err, errFull) {
		t.Errorf("the receiver ended with %v", err)
	}
	a.Close()
}
