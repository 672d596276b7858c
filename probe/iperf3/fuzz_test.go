package iperf3

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"whydrop/probe/stream"
)

// FuzzParams: whatever a client says it wants is refused, or lies within the bounds.
func FuzzParams(f *testing.F) {
	for _, s := range []string{
		`{"tcp":true,"omit":0,"time":1,"num":0,"blockcount":0,"MSS":1000,"parallel":2,"reverse":true,"window":102400,"len":131072,"bandwidth":1000000,"pacing_timer":1000,"client_version":"3.12"}`,
		`{"udp":true,"time":10}`, `{"time":nan}`, `{"time":-inf,"parallel":1e400}`, `{"whydrop":{"auth":true,"nonce":"x"}}`,
		`{"parallel":"4"}`, `{"time":1}trailing`, `{"a":"nan \" inf"}`, `[[[[`, `{"num":9223372036854775807}`, "{\"time\":1}\x00",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parseParams(text)
		if err != nil {
			return
		}
		if p.streams < 1 || p.streams > maxStreams || p.time < 0 || p.time > maxTime*time.Second || !(p.rate >= 0 && p.rate <= HighestRate) ||
			p.length < 0 || p.length > maxLength || p.window < 0 || p.window > maxWindow || len(p.congestion) > 16 {
			t.Errorf("accepted %+v", p)
		}
	})
}

// FuzzResults: whatever a peer says it counted is refused, or has the streams there were.
func FuzzResults(f *testing.F) {
	for _, s := range []string{
		`{"cpu_util_total":0.14,"cpu_util_user":0.14,"cpu_util_system":0,"sender_has_retransmits":18446744073709551615,"congestion_used":"bbr","streams":[{"id":1,"bytes":131072,"retransmits":18446744073709551615,"jitter":0,"errors":0,"packets":0,"start_time":0,"end_time":1.001097}]}`,
		`{"streams":[{"id":1,"bytes":1,"jitter":-nan}]}`, `{"streams":{}}`, `{"streams":[{},{},{}]}`, `{"streams":null}`, `{`, `{"streams":[{"id":1,"bytes":1e300}]}`,
		`{"streams":[{"id":1,"bytes":8000,"jitter":1.4e-05,"errors":2,"omitted_errors":1,"packets":18,"omitted_packets":8,"start_time":0,"end_time":1.04,"whydrop_arrived":8,"whydrop_out_of_order":1}]}`,
		`{"streams":[{"id":1,"bytes":8000,"jitter":410264,"errors":-1919,"packets":69045}]}`, `{"streams":[{"id":1,"bytes":18446744073709551615,"errors":18446744073709551615,"packets":2147483648}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if r, err := parseResults(text, []peerStream{{receives: true, length: 1000, omit: len(text)%2 == 0}}); err == nil {
			l, _ := Direction{Received: &r, Sent: &Results{Streams: []StreamResult{{Packets: 10}}}, length: 1000}.Loss(0)
			if share, ok := l.Share(); l.Received+l.Lost != l.Sent || ok && !(share >= 0 && share <= 1) || r.Streams[0].Jitter.Value < 0 {
				t.Errorf("accepted %+v, which is %+v", r, l)
			}
		}
		r, err := parseResults(text, tcpPeers(1))
		if err == nil && (len(r.Streams) != 1 || r.Streams[0].ID != 1 || r.Streams[0].Bytes > maxCount || r.Streams[0].Seconds < 0) {
			t.Errorf("accepted %+v", r)
		}
	})
}

// FuzzDatagram: whatever comes over UDP is counted within bounds, and what was written is read.
func FuzzDatagram(f *testing.F) {
	for _, n := range []uint64{0, 1, 2, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 + 5} {
		b := make([]byte, 20)
		fill(n%2 == 0)(b, n, time.UnixMicro(1_700_000_000_123_456))
		f.Add(b, b[:12], n%2 == 0)
	}
	f.Add([]byte("9876"), []byte("6789"), true)
	f.Add([]byte{}, []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), false)
	f.Fuzz(func(t *testing.T, a, b []byte, wide bool) {
		c := &dataConn{}
		c.newCounts(wide)
		now := time.Now()
		parse := parseDatagram(wide)
		for i, d := range [][]byte{a, b, a} {
			c.in.Add(stream.Burst{Data: d, Size: len(d), At: now.Add(time.Duration(i) * time.Millisecond)}, parse)
			if number, sent, ok := parse(d); ok && sent.UnixMicro() < int64(1)<<51 {
				out := bytes.Clone(d)
				fill(wide)(out, number, sent)
				if n2, sent2, _ := parse(out); n2 != number || !sent2.Equal(sent) {
					t.Errorf("%x is %d at %v, written as %x", d, number, sent, out)
				}
			}
		}
		r := c.result(1)
		if n := c.in.Counts(); n.Datagrams > 3 || n.Lost != n.Expected-n.Datagrams || r.Jitter.OK && r.Jitter.Value < 0 {
			t.Errorf("counted %+v", n)
		}
		_ = answerTo(a)
	})
}

// FuzzServerMessages: a client reads whatever a server says to its end or to an error, within bounds.
func FuzzServerMessages(f *testing.F) {
	for _, s := range []string{
		"\x09\x0a\x01\x02\x0d\x00\x00\x00\x02{}\x0e", "\xff", "\xfe\x00\x00\x00\x05\x00\x00\x00\x00", "\x66\x00\x00\x00\x02{}\x68\x00\x00\x00\x02{}",
		"\x68\xff\xff\xff\xff", "\x0d\x04\x00\x00\x01", "HTTP/1.1 400 Bad Request\r\n", "",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		n := 0
		err := readMessages(bytes.NewReader(in), nil, func(m message) bool {
			n++
			var r report
			if m.state == stateReport && decode(m.text, &r) == nil {
				r.sane()
			}
			return n < 1000
		})
		if err == nil && n < 1000 {
			t.Error("it ended without a reason")
		}
	})
}

// FuzzServer: a server's state machine gets whatever bytes on a control connection and on a data connection of the
// same cookie. It must end, and serve the next client. Time is virtual.
func FuzzServer(f *testing.F) {
	cookie := "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\x00"
	const params = "\x00\x00\x00\x19{\"time\":1,\"parallel\":1   }"
	results := "\x00\x00\x00\x20{\"streams\":[{\"id\":1,\"bytes\":100}]}"
	for _, s := range []string{"", "abc", cookie, cookie + params, cookie + params + "\x04" + results + "\x10", cookie + params + "\x0c", cookie + "\xff\xff\xff\xff", cookie + "\x00\x00\x00\x02[]", cookie + params + "\x04\xff\xff\xff\xff"} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, in []byte, second bool) {
		if len(in) > 4096 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			var p pipeNet
			stop := p.farEnd(t, ServerConfig{Token: "t", MaxTime: 2 * time.Second})
			var wg sync.WaitGroup
			send := func(b []byte) net.Conn {
				c, err := p.dial(t.Context(), "tcp", "")
				if err != nil {
					t.Fatal(err)
				}
				wg.Go(func() { _, _ = io.Copy(io.Discard, c) })
				wg.Go(func() {
					_ = c.SetWriteDeadline(time.Now().Add(time.Minute))
					_, _ = c.Write(b)
				})
				return c
			}
			conns := []net.Conn{send(in)}
			if second && len(in) >= cookieSize {
				time.Sleep(time.Millisecond)
				conns = append(conns, send(append(bytes.Clone(in[:cookieSize]), make([]byte, 1000)...)))
			}
			time.Sleep(2 * time.Minute)
			for _, c := range conns {
				c.Close()
			}
			wg.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			if _, err := Run(ctx, p.quick(""), time.Second, Handler{}); err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("the next client was not served: %v", err)
			}
			stop()
			p.reset()
			time.Sleep(time.Minute)
		})
	})
}
