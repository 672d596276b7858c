//go:build !linux

// Package sock is for Linux; here it is empty.
package sock
