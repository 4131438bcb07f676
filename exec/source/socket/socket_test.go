package socket_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/text"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/source/socket"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server listens, and hands out connections.
type server struct {
	net.Listener
	t *testing.T
}

func serve(t *testing.T, address string) *server {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return &server{l, t}
}

func (s *server) accept() net.Conn {
	s.t.Helper()
	c, err := s.Accept()
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func (s *server) config(opts ...string) source.Config {
	_, port, _ := net.SplitHostPort(s.Addr().String())
	c := source.Config{Name: "s", Clock: clock.Real(), Replay: true,
		Columns: []source.Column{{Column: types.Column{Name: "value", Type: types.Of(types.String)}}}}
	opts = append(opts, "host", "127.0.0.1", "port", port, "retry_delay", "1 ms")
	for i := 0; i < len(opts); i += 2 {
		c.Options = append(c.Options, option.Value{Name: opts[i], Text: opts[i+1]})
	}
	return c
}

func open(c source.Config) (source.Source, error) {
	return socket.Connector([]*format.Format{text.Format()}, "run").Open(context.Background(), c)
}

func must(t *testing.T, c source.Config) source.Source {
	t.Helper()
	s, err := open(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// next waits for n rows.
func next(t *testing.T, s source.Source, n int) []string {
	t.Helper()
	var out []string
	limit := time.NewTimer(10 * time.Second)
	defer limit.Stop()
	for len(out) < n {
		select {
		case <-limit.C:
			t.Fatalf("only %q came", out)
		default:
		}
		r, ok, err := s.Plan(context.Background(), source.Limits{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			continue
		}
		splits, err := s.Splits(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		for _, sp := range splits {
			if err := sp.Read(context.Background(), source.Reading{Need: []int{0}}, func(b *vec.Batch) error {
				b.Each(func(row int) { out = append(out, vec.RowString(b.Cols[0], row, time.UTC)) })
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Committed(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func send(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, got []string, want string) {
	t.Helper()
	if text := strings.Join(got, " "); text != want {
		t.Errorf("got %s, want %s", text, want)
	}
}

func TestConnectsAgain(t *testing.T) {
	l := serve(t, "127.0.0.1:0")
	s := must(t, l.config())
	c := l.accept()
	send(t, c, "a\nb\nhalf")
	want(t, next(t, s, 2), "a b")
	send(t, c, " of it\n")
	want(t, next(t, s, 1), "half of it")
	_ = c.Close()
	c = l.accept()
	send(t, c, "c\n")
	want(t, next(t, s, 1), "c")
	_ = c.Close()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestGivesUp(t *testing.T) {
	l := serve(t, "127.0.0.1:0")
	s := must(t, l.config("retries", "2"))
	c := l.accept()
	send(t, c, "a\n")
	_ = l.Close()
	_ = c.Close()
	want(t, next(t, s, 1), "a")
	for {
		_, ok, err := s.Plan(context.Background(), source.Limits{}, nil)
		if err == nil && !ok {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "2 attempts failed") || !strings.Contains(err.Error(), `source "s": connect to 127.0.0.1:`) {
			t.Errorf("%v %v", ok, err)
		}
		break
	}
	_ = s.Close()
}

func TestTheEndOfTheInput(t *testing.T) {
	l := serve(t, "127.0.0.1:0")
	config := l.config()
	config.Finite = true
	s := must(t, config)
	c := l.accept()
	send(t, c, "a\nlast")
	_ = c.Close()
	want(t, next(t, s, 2), "a last")
	if _, ok, err := s.Plan(context.Background(), source.Limits{}, nil); ok || err != nil || !s.Finished() {
		t.Errorf("%v %v, finished %v", ok, err, s.Finished())
	}
	_ = s.Close()
}

// A sender that is faster than the query waits: what is not read stays with it.
func TestBackPressure(t *testing.T) {
	l := serve(t, "127.0.0.1:0")
	s := must(t, l.config("buffer_bytes", "64 KiB"))
	c := l.accept()
	line := strings.Repeat("x", 1000) + "\n"
	sent := make(chan int)
	go func() {
		n := 0
		w := bufio.NewWriter(c)
		for err := error(nil); n < 20_000 && err == nil; n++ {
			_, err = fmt.Fprint(w, line)
		}
		_ = w.Flush()
		sent <- n
	}()
	if got := next(t, s, 20_000); len(got) != 20_000 {
		t.Error(len(got))
	}
	<-sent
	_ = s.Close()
	_ = c.Close()
}

func TestUnreachable(t *testing.T) {
	l := serve(t, "127.0.0.1:0")
	c := l.config()
	_ = l.Close()
	_, err := open(c)
	var op *net.OpError
	if err == nil || !errors.As(err, &op) || !strings.Contains(err.Error(), "start the server") {
		t.Error(err)
	}
	if _, err := open(source.Config{Name: "s", Clock: clock.Real()}); err == nil || !strings.Contains(err.Error(), `"port" is required`) {
		t.Error(err)
	}
}
