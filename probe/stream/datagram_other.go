//go:build !linux

package stream

import (
	"context"
	"net"
	"time"
)

// fastDatagrams is not there on this system.
type fastDatagrams struct{ heads bool }

func newFastDatagrams(net.PacketConn) *fastDatagrams { return nil }

func (*fastDatagrams) read(func(Burst)) error  { return net.ErrClosed }
func (*fastDatagrams) drain(func(Burst)) error { return net.ErrClosed }
func (*fastDatagrams) dropped() (uint64, bool) { return 0, false }
func (*fastDatagrams) path() string            { return "" }
func (*fastDatagrams) release()                {}

func newBatchWriter(net.Conn, *DatagramSender) batchWriter { return nil }

// Nap waits for d or until ctx ends.
func Nap(ctx context.Context, d time.Duration) { _ = sleep(ctx, d) }

// punctual makes the calling goroutine's timers exact until the function returned is called.
func punctual() (done func()) { return func() {} }

// GrowReceiveBuffer gives a UDP socket a receive buffer of n bytes, or as much of that as the system allows, and
// returns what it has then, as the system counts; 0 is not known.
func GrowReceiveBuffer(conn net.PacketConn, n int) (granted int) {
	if c, ok := conn.(interface{ SetReadBuffer(int) error }); ok {
		for ; n >= 64<<10; n /= 2 { // some systems refuse what is above their limit
			if c.SetReadBuffer(n) == nil {
				break
			}
		}
	}
	if c, ok := conn.(net.Conn); ok {
		return Inspect(c).RecvBuffer
	}
	return 0
}
