//go:build !linux

package icmperr

// Enable returns [ErrUnsupported].
func Enable(int, bool) error { return ErrUnsupported }

// Read finds nothing.
func Read(int, []byte) (Notice, bool) { return Notice{}, false }
