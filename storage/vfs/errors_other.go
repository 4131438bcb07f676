//go:build !windows

package vfs

func isDiskFullOS(error) bool { return false }

func isReadOnlyOS(error) bool { return false }
