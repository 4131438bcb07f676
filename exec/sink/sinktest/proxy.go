package sinktest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Proxy passes connections on to a server, and can cut them after a number of bytes.
type Proxy struct {
	Addr string

	mu    sync.Mutex
	left  int64 // bytes until the cut; −1 = none comes
	moved int64
	conns map[net.Conn]bool
	to    string
}

// NewProxy listens on a port of its own until the test ends.
func NewProxy(t *testing.T, to string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Addr: l.Addr().String(), left: -1, conns: map[net.Conn]bool{}, to: to}
	t.Cleanup(func() {
		_ = l.Close()
		p.Cut()
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.connect(c)
		}
	}()
	return p
}

func (p *Proxy) connect(c net.Conn) {
	s, err := net.Dial("tcp", p.to)
	if err != nil {
		_ = c.Close()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[c], p.conns[s] = true, true
	go p.pass(c, s)
	go p.pass(s, c)
}

func (p *Proxy) pass(from, to net.Conn) {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		n, cut := p.take(n)
		if _, e := to.Write(buf[:n]); e != nil || err != nil || cut {
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range []io.Closer{from, to} {
		_ = c.Close()
	}
	delete(p.conns, from)
	delete(p.conns, to)
}

// take counts bytes; it tells how many still pass.
func (p *Proxy) take(n int) (int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.moved += int64(n)
	if p.left < 0 {
		return n, false
	}
	if p.left >= int64(n) {
		p.left -= int64(n)
		return n, false
	}
	n, p.left = int(p.left), -1
	return n, true
}

// CutAfter cuts the connection over which the n+1st byte from now on would go.
func (p *Proxy) CutAfter(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = n
}

// Moved is how many bytes went either way so far.
func (p *Proxy) Moved() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.moved
}

// Cut cuts all connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}
