//go:build !unix

package main

import "os"

// notifyHangup does nothing: there is no SIGHUP.
func notifyHangup(chan<- os.Signal) {}
