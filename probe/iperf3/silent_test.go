package iperf3

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"whydrop/probe/stream"
)

func TestAnEndThatOnlyReceivesKnowsWhenNothingComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		c := &dataConn{conn: far, id: 1}
		s := &session{params: params{}, conns: []*dataConn{c}}
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = (&stream.Receiver{Length: 1000, Count: &c.count}).Run(t.Context(), far)
		}()
		check := func(when string, want bool) {
			t.Helper()
			synctest.Wait()
			if got := s.hearsNothing(); got != want {
				t.Errorf("%s: got %v, want %v", when, got, want)
			}
		}
		time.Sleep(time.Second)
		check("before the first data", true)
		if _, err := near.Write(make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		check("just after data", false)
		time.Sleep(listenEvery)
		check("a moment later", true)
		s.params.reverse = true
		check("an end that sends", false)
		near.Close()
		far.Close()
		<-done
	})
}
