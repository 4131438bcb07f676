package server

import (
	"net"
	"sync"
)

// limited is a listener with a bound on open connections: further ones wait in the
// system's queue.
type limited struct {
	net.Listener
	slots  chan struct{}
	once   sync.Once
	closed chan struct{}
}

func newLimited(l net.Listener, n int) *limited {
	return &limited{Listener: l, slots: make(chan struct{}, n), closed: make(chan struct{})}
}

// Accept implements net.Listener.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &slotted{Conn: c, free: func() { <-l.slots }}, nil
}

// Close implements net.Listener.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// slotted gives its slot back when it is closed.
type slotted struct {
	net.Conn
	once sync.Once
	free func()
}

// Close implements net.Conn.
func (c *slotted) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.free)
	return err
}
