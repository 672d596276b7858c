//go:build !linux

package host

// readWaits is not given.
func readWaits() (Waits, error) { return Waits{}, errNotGiven }
