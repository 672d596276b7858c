//go:build !race

package iperf3

const memoryFactor = 1
