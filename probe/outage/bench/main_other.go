//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "bench: needs Linux: network namespaces, nft and iperf3")
	os.Exit(1)
}
