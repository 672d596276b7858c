package experiment

import (
	"os"

	"golang.org/x/sys/unix"
)

// forget makes the system drop what it holds of the file in memory (posix_fadvise(2)); what it does not drop is read
// from there.
func forget(f *os.File) { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) }
