// Package cputime tells what a test of growth has computed.
package cputime

import (
	"syscall"
	"time"
)

// Thread is the time that this thread has computed: a busy machine does not change it. The
// caller keeps the thread.
func Thread() time.Duration {
	const thisThread = 1 // RUSAGE_THREAD
	var used syscall.Rusage
	if err := syscall.Getrusage(thisThread, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
