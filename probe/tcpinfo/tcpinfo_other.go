//go:build !linux && !darwin && !windows

package tcpinfo

func get(uintptr) (Info, error) { return Info{}, ErrUnsupported }
