package socket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/source/inbox"
)

// longestDelay bounds the wait between two attempts.
const longestDelay = 30 * time.Second

// reader fills a box from a connection, and makes new ones.
type reader struct {
	set    settings
	box    *inbox.Box
	clock  clock.Clock
	lines  *inbox.Lines
	cancel context.CancelFunc
	done   sync.WaitGroup
}

func newReader(set settings, box *inbox.Box, c clock.Clock, lines *inbox.Lines) *reader {
	return &reader{set: set, box: box, clock: c, lines: lines, cancel: func() {}}
}

// start connects for the first time, and reads in a goroutine of its own.
func (r *reader) start(ctx context.Context) error {
	conn, err := r.dial(ctx)
	if err != nil {
		return fmt.Errorf("%w: start the server that sends the lines, and check host and port", err)
	}
	ctx, r.cancel = context.WithCancel(context.Background())
	r.done.Go(func() { r.box.End(r.run(ctx, conn)) })
	return nil
}

func (r *reader) dial(ctx context.Context) (net.Conn, error) {
	d := net.Dialer{Timeout: r.set.timeout}
	conn, err := d.DialContext(ctx, "tcp", r.set.address)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", r.set.address, err)
	}
	return conn, nil
}

// close ends the connection and waits for the reader.
func (r *reader) close() error {
	r.cancel()
	r.done.Wait()
	return nil
}

// run reads connection after connection, until the input ends or cannot be reached.
func (r *reader) run(ctx context.Context, conn net.Conn) error {
	for {
		err := r.read(ctx, conn)
		switch {
		case ctx.Err() != nil || errors.Is(err, inbox.ErrClosed):
			return nil
		case err == nil && r.set.stop:
			return nil
		case err == nil:
			err = errors.New("the server closed the connection")
		}
		if conn, err = r.again(ctx, err); err != nil {
			return err
		}
		if conn == nil {
			return nil
		}
	}
}

// read takes what one connection gives.
func (r *reader) read(ctx context.Context, conn net.Conn) error {
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	defer conn.Close()
	lines := *r.lines // each connection has its own header, and counts its own lines
	return lines.Read(ctx, conn)
}

// again connects anew after a failure, with longer and longer waits; nil if the source
// was closed meanwhile.
func (r *reader) again(ctx context.Context, why error) (net.Conn, error) {
	delay := r.set.delay
	for range r.set.retries {
		t := r.clock.NewTimer(delay)
		select {
		case <-t.C():
		case <-ctx.Done():
			t.Stop()
			return nil, nil
		}
		conn, err := r.dial(ctx)
		if err == nil {
			return conn, nil
		}
		if ctx.Err() != nil {
			return nil, nil
		}
		why, delay = err, min(2*delay, longestDelay)
	}
	return nil, fmt.Errorf("%w; %d attempts failed (options retries, retry_delay)", why, r.set.retries)
}
