//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the process and its children into a group of their own, so that all can
// be killed, and Ctrl-C in a terminal reaches the program alone.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends the group. One that is gone already is no error.
func killGroup(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
