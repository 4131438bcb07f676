//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyHangup passes SIGHUP on.
func notifyHangup(to chan<- os.Signal) { signal.Notify(to, syscall.SIGHUP) }
