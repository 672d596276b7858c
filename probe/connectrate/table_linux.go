package connectrate

import (
	"os"
	"strconv"
	"strings"
)

// ownTable reads how full the connection tracking of this host is (nf_conntrack).
func ownTable() Table {
	return Table{number("/proc/sys/net/netfilter/nf_conntrack_count"), number("/proc/sys/net/netfilter/nf_conntrack_max")}
}

func number(path string) int {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return n
}
