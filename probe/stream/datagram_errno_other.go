//go:build !windows

package stream

import (
	"errors"
	"syscall"
)

func tooLong(err error) bool { return errors.Is(err, syscall.EMSGSIZE) }
func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
