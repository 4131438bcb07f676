package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/incremental/engine"
)

// errKilled says that a second signal ended everything.
var errKilled = fmt.Errorf("ended at once: %w", context.Canceled)

// killGrace is how long queries have to leave their work after a second signal.
const killGrace = time.Second

// guard runs do and ends it on SIGINT and SIGTERM. The first one cancels do's context,
// which starts no further statement, and stops every query after the trigger under way;
// the second ends everything at once. It reports whether a signal came.
func guard(ctx context.Context, e *engine.Engine, do func(context.Context) error) (interrupted bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	done := make(chan error, 1)
	go func() { done <- do(ctx) }()
	select {
	case err := <-done:
		return false, err
	case <-signals:
	}
	cancel()
	stopped := make(chan error, 1)
	go func() {
		err := <-done // the statement under way has left
		if stop := e.StopAll(); stop != nil {
			err = stop
		}
		stopped <- err
	}()
	select {
	case err := <-stopped:
		return true, err
	case <-signals:
		kill(e)
		return true, errKilled
	}
}

// kill ends every query as a crash would, which a checkpoint survives.
func kill(e *engine.Engine) {
	grace := clock.Real().NewTimer(killGrace)
	defer grace.Stop()
	gone := make(chan struct{})
	go func() { e.Kill(); close(gone) }()
	select {
	case <-gone:
	case <-grace.C():
	}
}
