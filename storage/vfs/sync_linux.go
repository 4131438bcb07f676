package vfs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func syncDataOS(f *os.File) error {
	for {
		err := unix.Fdatasync(int(f.Fd()))
		if !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
