//go:build !linux

package main

// useHugePages does nothing: the kernel decides.
func useHugePages(int64) {}
