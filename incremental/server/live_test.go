package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// serve serves a world on a port of its own until the test ends, and returns the address.
func serve(t *testing.T, edit ...func(*Options)) (w *world, addr string, stop func() error) {
	t.Helper()
	w = newWorld(t, edit...)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Serve(ctx, l, nil, 100*time.Millisecond) }()
	ended := false
	stop = func() error {
		if ended {
			return nil
		}
		ended = true
		cancel()
		return <-done
	}
	t.Cleanup(func() { stop() }) //nolint:errcheck // the test looks where it matters
	return w, l.Addr().String(), stop
}

// raw sends bytes as they are and returns what comes back until the server hangs up.
func raw(t *testing.T, addr, send string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(10 * time.Second)) //nolint:errcheck // a socket has deadlines
	io.WriteString(c, send)                         //nolint:errcheck // the server may have hung up
	got, err := io.ReadAll(c)
	if ne, ok := err.(net.Error); ok && ne.Timeout() {
		t.Errorf("%.60q: the server does not hang up", send)
	}
	return string(got)
}

// Malformed, oversized and endless requests are answered with an error or not at all, and
// end.
func TestHostileRequests(t *testing.T) {
	_, addr, _ := serve(t, withTokens, func(o *Options) {
		o.Limits.HeaderTime, o.Limits.BodyTime, o.Limits.Header = 200*time.Millisecond, 400*time.Millisecond, 2000
	})
	auth := "Authorization: Bearer " + ownerToken + "\r\n"
	post := "POST /v1/sql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sql\r\n"
	for _, c := range []struct{ send, want string }{
		{"\x16\x03\x01\x02\x00\x01\x00", "HTTP/1.1 400"},
		{"GET / HTTP/9.9\r\n\r\n", "HTTP/1.1 505"},
		{"GET /healthz HTTP/1.1\r\n\r\n", "HTTP/1.1 400"}, // no host
		{"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "HTTP/1.1 400"},
		{"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n", "HTTP/1.0 401"},
		{"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 10000) + "\r\n\r\n", "HTTP/1.1 431"},
		{"GET /healthz HTTP/1.1\r\nHost: local", ""},                                                                            // never ends its headers
		{post + "Content-Length: 100\r\n\r\nSELECT", "HTTP/1.1 401"},                                                            // no token: the body is not waited for
		{post + auth + "Content-Length: 100\r\n\r\nSELECT", "HTTP/1.1 400"},                                                     // never ends its body
		{post + auth + "Connection: close\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 400"}, // smuggling
		{post + auth + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", "HTTP/1.1 400"},                                              // no chunk
		{post + auth + "Content-Length: -1\r\n\r\n", "HTTP/1.1 400"},                                                            //
		{post + auth + "Content-Length: 3000000\r\n\r\n" + strings.Repeat("x", 1_100_000), "HTTP/1.1 413"},                      // too large
		{"GET http://localhost/../../etc/passwd HTTP/1.0\r\n" + auth + "Host: localhost\r\n\r\n", "HTTP/1.0 400"},
		{"CONNECT localhost:1 HTTP/1.0\r\nHost: localhost:1\r\n" + auth + "\r\n", "HTTP/1.0 40"},
	} {
		if got := raw(t, addr, c.send); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%.80q: %.100q, want %s", c.send, got, c.want)
		}
	}
}

// Connections beyond the limit wait; closing one lets the next in.
func TestConnectionLimit(t *testing.T) {
	_, addr, _ := serve(t, func(o *Options) { o.Limits.Connections = 2 })
	var open []net.Conn
	for range 3 {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
		open = append(open, c)
	}
	answers := func(c net.Conn) bool {
		c.SetReadDeadline(time.Now().Add(200 * time.Millisecond)) //nolint:errcheck // a socket has deadlines
		line, _ := bufio.NewReader(c).ReadString('\n')
		return strings.HasPrefix(line, "HTTP/1.1 200")
	}
	if !answers(open[0]) || !answers(open[1]) || answers(open[2]) {
		t.Error("three connections at a time")
	}
	open[0].Close()
	if !answers(open[2]) {
		t.Error("the third does not get in")
	}
}

// Progress can be followed while it is made, and the server's end ends it.
func TestFollow(t *testing.T) {
	w, addr, stop := serve(t)
	req, _ := http.NewRequestWithContext(t.Context(), "GET", "http://"+addr+"/v1/queries/per/progress?follow=true", nil)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewReader(res.Body)
	for i := range 3 {
		w.run("INSERT INTO clicks VALUES ('ana', 1); RUN TRIGGER")
		line, err := lines.ReadString('\n')
		if err != nil || !strings.Contains(line, fmt.Sprintf(`"batchId":%d,`, i)) {
			t.Fatalf("%v %s", err, line)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
		t.Errorf("%v %s", err, rest)
	}
	http.DefaultClient.CloseIdleConnections()
}

// A client that never ends its request does not hold up the end.
func TestEndDoesNotWaitForIdlers(t *testing.T) {
	_, addr, stop := serve(t)
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n") // and no end
	if err := stop(); err != nil {
		t.Error(err)
	}
}
