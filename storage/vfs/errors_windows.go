package vfs

import (
	"errors"

	"golang.org/x/sys/windows"
)

func isDiskFullOS(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

func isReadOnlyOS(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }
