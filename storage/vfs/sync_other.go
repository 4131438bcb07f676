//go:build !linux

package vfs

import "os"

func syncDataOS(f *os.File) error { return f.Sync() }
