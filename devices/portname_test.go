package devices

import "testing"

func TestPortKey(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"long and short":                  {"GigabitEthernet1/0/1", "Gi1/0/1", true},
		"a blank before the number":       {"Gig 1/0/1", "gi1/0/1", true},
		"different numbers":               {"Gi1/0/1", "Gi1/0/11", false},
		"different types":                 {"Te1/0/1", "Gi1/0/1", false},
		"Te is not Twe":                   {"Twe1/0/1", "TwentyFiveGigE1/0/1", true},
		"plain names":                     {"in", "in", true},
		"plain names differ":              {"in", "out", false},
		"a sub-interface is not its port": {"Gi1/0/1.10", "Gi1/0/1", false},
		"a type alone is no port":         {"Gi", "GigabitEthernet", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := PortKey(c.a) == PortKey(c.b); got != c.same {
				t.Errorf("PortKey(%q) = %q, PortKey(%q) = %q, want same = %v", c.a, PortKey(c.a), c.b, PortKey(c.b), c.same)
			}
		})
	}
}

func TestPortOffers(t *testing.T) {
	for name, want := range map[string]Opt[uint64]{
		"Gi1/0/1": Some[uint64](1e9), "FastEthernet0/1": Some[uint64](100e6), "in": {}, "Ethernet1/1": {}, "Gi": {},
	} {
		if got := PortOffers(name); got != want {
			t.Errorf("PortOffers(%q) = %v, want %v", name, got, want)
		}
	}
}
