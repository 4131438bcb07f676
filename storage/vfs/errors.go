package vfs

import (
	"errors"
	"io/fs"
	"syscall"
)

// ErrLocked says that another holder has the lock.
var ErrLocked = errors.New("locked by another holder")

// IsDiskFull reports whether err says that no space, or no quota, is left.
func IsDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || isDiskFullOS(err)
}

// IsReadOnly reports whether err says that writing is not permitted.
func IsReadOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission) || isReadOnlyOS(err)
}
