package rules

import (
	"math"
	"testing"
)

func TestWhetherASenderWasToldThatAPacketIsTooLarge(t *testing.T) {
	for name, tt := range map[string]struct {
		words []string
		told  float64 // NaN: the words do not say
		mtu   float64
	}{
		"a router's answer as ping prints it":      {[]string{"from 192.0.2.9 icmp_seq=1 frag needed and df set (mtu = 1438)"}, 1, 1438},
		"the host's own memory of it":              {[]string{"ping: local error: message too long, mtu=1390"}, 1, 1390},
		"Windows":                                  {[]string{"packet needs to be fragmented but df set."}, 1, math.NaN()},
		"the smallest of two":                      {[]string{"packet too big, mtu 1480", "packet too big, mtu 1420"}, 1, 1420},
		"the message is filtered":                  {[]string{"df set, frag needed is filtered by the firewall"}, 0, math.NaN()},
		"the message never comes":                  {[]string{"df set, no icmp packet too big message is generated"}, 0, math.NaN()},
		"no answer at all":                         {[]string{"df set, no answer of any kind"}, 0, math.NaN()},
		"one test was told, another says nothing":  {[]string{"no answer of any kind", "message too long, mtu=1400"}, 1, 1400},
		"a loss, and no word of why":               {[]string{"df set"}, math.NaN(), math.NaN()},
		"the words of something else in a clause":  {[]string{"message too long, mtu=1400, nothing else was lost"}, 1, 1400},
		"a denial in another clause is none of it": {[]string{"not from the far end, but from here: message too long, mtu=1300"}, 1, 1300},
	} {
		t.Run(name, func(t *testing.T) {
			var rs []result
			for _, w := range tt.words {
				rs = append(rs, result{words: w})
			}
			f := &testFacts{}
			f.told(rs)
			if f.Told != tt.told && !(math.IsNaN(f.Told) && math.IsNaN(tt.told)) || f.ToldMTU != tt.mtu && !(math.IsNaN(f.ToldMTU) && math.IsNaN(tt.mtu)) {
				t.Errorf("told %v with an MTU of %v, want %v and %v", f.Told, f.ToldMTU, tt.told, tt.mtu)
			}
		})
	}
}
