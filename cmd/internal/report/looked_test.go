package report

import (
	"fmt"
	"strings"
	"testing"
)

func TestManyPortsOffThePathAreCounted(t *testing.T) {
	var off []OffPort
	for i := range 300 {
		off = append(off, OffPort{fmt.Sprintf("Gi1/0/%d", i), 1 + i/299})
	}
	few := Look{Off: off[:maxNamed+1]}.String()
	if strings.Contains(few, "more") || strings.Count(few, "Gi") != maxNamed+1 {
		t.Errorf("got %q, want every one of %d ports by its name", few, maxNamed+1)
	}
	many := Look{Off: off}.String()
	if !strings.Contains(many, "off the path: Gi1/0/299 (2 events), Gi1/0/0 (1 event), ") || !strings.HasSuffix(many, ", and 284 more (284 events)") {
		t.Errorf("got %q, want the port with most events first and 284 ports counted", many)
	}
	unread := Look{Unread: make([]string, 40)}.String()
	if !strings.HasSuffix(unread, ", and 24 more") {
		t.Errorf("got %q, want 24 ports that were never read counted", unread)
	}
}
