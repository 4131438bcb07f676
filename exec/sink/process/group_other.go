//go:build !unix

package process

import "os/exec"

func ownGroup(*exec.Cmd) {}

// killGroup ends the process; its own children end with their pipes.
func killGroup(c *exec.Cmd) { _ = c.Process.Kill() }
