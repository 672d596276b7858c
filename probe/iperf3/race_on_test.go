//go:build race

package iperf3

// memoryFactor is what the race detector makes of a program's memory (5 to 10 times, by its documentation).
const memoryFactor = 5
