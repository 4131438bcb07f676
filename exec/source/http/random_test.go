package http

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/source"
)

var (
	requests = flag.Int("http.requests", 1200, "how many random requests")
	seed     = flag.Uint64("http.seed", 1, "what they begin with")
)

// push makes a request to the source: mostly a good one.
func push(r *rand.Rand) []byte {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	body := pick(`{"k":"a","v":1}`, `{"k":"a","v":1}`+"\n"+`{"k":"b"}`, `[{"k":"a"},{"v":2}]`, `{"k":{}}`, `{"v":9223372036854775808}`, `{"k":"`+strings.Repeat("é", r.IntN(2000))+`"}`, "k,v\na,1\n", "a,1\n\"", "", "\n\n", "\xff", "\x1f\x8b\x08", "null", "[", "]")
	head := ""
	for range r.IntN(4) {
		head += pick("Authorization: Bearer token-0123456789", "Authorization: Bearer token-0123456789", "Content-Type: application/json", "Content-Type: text/csv", "Content-Type: text/html; x", "Content-Type: ;",
			"Content-Encoding: gzip", "Content-Encoding: identity", "Content-Encoding: br", "Idempotency-Key: a", "Idempotency-Key: "+fmt.Sprint(r.IntN(50)), "Idempotency-Key: "+strings.Repeat("k", 300), "Origin: null", "Expect: 100-continue") + "\r\n"
	}
	return fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %d\r\n\r\n%s", pick("POST", "POST", "POST", "POST", "GET", "HEAD", "PUT"), pick("/in", "/in", "/in", "/in", "/", "/in/", "/in?x=%zz", "/../in"), head, len(body), body)
}

// TestRandomRequests: whatever is sent, nothing panics, the status is a known one, the
// answer is JSON, and what was acknowledged is in the rows, once, and nothing else.
func TestRandomRequests(t *testing.T) {
	for _, opts := range [][]string{{"format", "json"}, {"format", "csv", "header", "true"}, {"format", "json", "token", "token-0123456789", "on_error", "skip", "max_request_bytes", "1000"}} {
		t.Run(strings.Join(opts, " "), func(t *testing.T) { pushAll(t, newBed(t, opts...)) })
	}
}

func pushAll(t *testing.T, b *bed) {
	rnd, acked := rand.New(rand.NewPCG(*seed, 3)), int64(0)
	for range *requests / 3 {
		data := push(rnd)
		if rnd.IntN(3) == 0 {
			for range 1 + rnd.IntN(4) {
				at := rnd.IntN(len(data))
				data = slices.Replace(data, at, min(len(data), at+rnd.IntN(4)), byte(rnd.IntN(256)))
			}
		}
		if whole(data) {
			acked += b.thrown(t, data)
		}
	}
	if int64(len(b.rows)) != acked {
		t.Errorf("%d rows were acknowledged, %d are there", acked, len(b.rows))
	}
}

// whole reports a request that ends: a server waits for the rest of another one.
func whole(data []byte) bool {
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(data)))
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, r.Body)
	return err == nil
}

// thrown sends a request, logs what it brought, and gives how many rows were acknowledged.
func (b *bed) thrown(t *testing.T, data []byte) int64 {
	t.Helper()
	got := make(chan reply, 1)
	go func() { got <- exchange(strings.TrimSuffix(strings.TrimPrefix(b.url, "http://"), "/in"), data) }()
	var r reply
	for waiting := true; waiting; {
		select {
		case r = <-got:
			waiting = false
		default:
			b.logged(t)
		}
	}
	if r.status == http.StatusExpectationFailed || r.status == http.StatusHTTPVersionNotSupported || r.status == http.StatusBadRequest && strings.HasPrefix(r.body, "400 Bad Request") { // of net/http, which knows better than ReadRequest
		return 0
	}
	var a answer
	if err := json.Unmarshal([]byte(r.body), &a); err != nil && !bytes.HasPrefix(data, []byte("HEAD")) ||
		!slices.Contains([]int{200, 400, 401, 403, 404, 405, 413, 415, 501}, r.status) || err == nil && (r.status == 200) == (a.Error != "") {
		t.Fatalf("%q: %d %s", data, r.status, r.body)
	}
	if a.Rows == nil || a.Repeated {
		return 0
	}
	return *a.Rows - a.Bad
}

// exchange sends bytes over a connection of their own, and gives the answer.
func exchange(addr string, data []byte) reply {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return reply{body: err.Error()}
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := c.Write(data); err != nil {
		return reply{body: err.Error()}
	}
	in := bufio.NewReader(c)
	for {
		head, err := http.ReadResponse(in, &http.Request{Method: strings.SplitN(string(data), " ", 2)[0]})
		if err != nil {
			return reply{body: err.Error()}
		}
		body, err := io.ReadAll(head.Body)
		switch {
		case head.StatusCode == http.StatusContinue:
		case err != nil:
			return reply{body: err.Error()}
		default:
			return reply{status: head.StatusCode, body: string(body)}
		}
	}
}

// logged plays the trigger loop: what has come is logged, and so acknowledged.
func (b *bed) logged(t *testing.T) {
	t.Helper()
	r, ok, err := b.src.Plan(context.Background(), source.Limits{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if ok {
		b.last, b.log = r, append(b.log, r.Entries...)
		b.read(r)
		b.durable(r)
	}
}
