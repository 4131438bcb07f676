package metrics

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
)

func families(total, gauge float64, seen ...float64) []Family {
	h := NewHistogram([]float64{1, 2})
	for _, v := range seen {
		h.Observe(v)
	}
	return []Family{
		{Def{"rows_total", Counter, []string{"query", "fate"}, "Rows."}, []Sample{{Labels: []string{"a.b c", "late"}, Value: total}}},
		{Def{"lag_seconds", Gauge, nil, "Lag."}, []Sample{{Value: gauge}}},
		{Def{"took_seconds", HistogramKind, []string{"query"}, "Took."}, []Sample{{Labels: []string{"q"}, Histogram: h}}},
	}
}

func TestStatsD(t *testing.T) {
	l, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, c := range []struct {
		tags bool
		want []string
	}{
		{true, []string{"rows_total:5|c|#query:a_b_c,fate:late\nlag_seconds:1.5|g\ntook_seconds_count:1|c|#query:q\ntook_seconds_sum:0.5|c|#query:q",
			"rows_total:2|c|#query:a_b_c,fate:late\nlag_seconds:0|g\nlag_seconds:-2|g", "rows_total:1|c|#query:a_b_c,fate:late\nlag_seconds:0|g"}},
		{false, []string{"rows_total.a_b_c.late:5|c\nlag_seconds:1.5|g\ntook_seconds_count.q:1|c\ntook_seconds_sum.q:0.5|c",
			"rows_total.a_b_c.late:2|c\nlag_seconds:0|g\nlag_seconds:-2|g", "rows_total.a_b_c.late:1|c\nlag_seconds:0|g"}},
	} {
		s, err := NewStatsD(l.LocalAddr().String(), c.tags)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range [][]Family{families(5, 1.5, .5), families(7, -2, .5), families(1, 0, .5)} { // the last: counting began anew
			if err := s.Push(t.Context(), time.Time{}, f); err != nil {
				t.Fatal(err)
			}
			if got := datagram(t, l); got != c.want[i] {
				t.Errorf("got\n%s\nwant\n%s", got, c.want[i])
			}
		}
		s.conn.Close()
	}
}

func datagram(t *testing.T, l net.PacketConn) string {
	t.Helper()
	l.SetReadDeadline(time.Now().Add(5 * time.Second)) //nolint:errcheck // a socket has deadlines
	buf := make([]byte, 65536)
	n, _, err := l.ReadFrom(buf)
	if err != nil {
		t.Fatal(err)
	}
	return string(buf[:n])
}

// A page of many metrics goes in datagrams that networks carry whole.
func TestDatagramsAreSmall(t *testing.T) {
	l, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s, err := NewStatsD(l.LocalAddr().String(), true)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Push(t.Context(), time.Time{}, NewRegistry(all{}).Gather()); err != nil {
		t.Fatal(err)
	}
	defer s.conn.Close()
	text := datagram(t, l)
	for range 2 {
		if len(text) > mostDatagram || strings.Contains(text, "\n\n") {
			t.Errorf("%d bytes", len(text))
		}
		text = datagram(t, l)
	}
	if _, err := NewStatsD("nowhere", true); err == nil {
		t.Error("no address is taken")
	}
}

func TestOTLP(t *testing.T) {
	var got struct {
		ResourceMetrics []struct {
			ScopeMetrics []struct {
				Metrics []struct {
					Name, Unit string
					Sum        *struct {
						IsMonotonic            bool
						AggregationTemporality int
						DataPoints             []struct {
							AsDouble          float64
							StartTimeUnixNano string
							Attributes        []struct {
								Key   string
								Value struct{ StringValue string }
							}
						}
					}
					Histogram *struct {
						DataPoints []struct {
							Count          string
							BucketCounts   []string
							ExplicitBounds []float64
						}
					}
				}
			}
		}
	}
	code := 200
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/metrics" || r.Header.Get("Authorization") != "Bearer x" {
			code = 401
		}
		raw, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Error(err)
		}
		w.WriteHeader(code)
	}))
	defer srv.Close()
	o, err := NewOTLP(srv.URL, map[string]string{"Authorization": "Bearer x"}, time.Unix(1, 0), "v")
	if err != nil {
		t.Fatal(err)
	}
	defer o.client.CloseIdleConnections()
	if err := o.Push(t.Context(), time.Unix(5, 0), families(5, 1, .5, 1.5, 7)); err != nil {
		t.Fatal(err)
	}
	m := got.ResourceMetrics[0].ScopeMetrics[0].Metrics
	p := m[0].Sum.DataPoints[0]
	if !m[0].Sum.IsMonotonic || m[0].Sum.AggregationTemporality != 2 || p.AsDouble != 5 || p.StartTimeUnixNano != "1000000000" || p.Attributes[1].Value.StringValue != "late" {
		t.Errorf("%+v", m[0])
	}
	if h := m[2].Histogram.DataPoints[0]; m[2].Unit != "s" || h.Count != "3" || strings.Join(h.BucketCounts, " ") != "1 1 1" || len(h.ExplicitBounds) != 2 {
		t.Errorf("%+v", m[2])
	}
	code = 503
	if err := o.Push(t.Context(), time.Unix(6, 0), nil); err == nil || !strings.Contains(err.Error(), "503") {
		t.Error(err)
	}
	for _, bad := range []string{"", "127.0.0.1:4318", "ftp://x"} {
		if _, err := NewOTLP(bad, nil, time.Time{}, ""); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// target fails until it does not.
type target struct {
	fails  int
	pushed chan int
}

func (*target) Name() string { return "otlp" }

func (g *target) Push(_ context.Context, _ time.Time, f []Family) error {
	g.pushed <- len(f)
	if g.fails--; g.fails >= 0 {
		return errors.New("no")
	}
	return nil
}

func TestPusher(t *testing.T) {
	c := clock.NewFake(time.Unix(0, 0))
	g := &target{fails: 2, pushed: make(chan int, 10)}
	r := NewRegistry()
	p := NewPusher(r, g, time.Second, c, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { p.Run(ctx); close(done) }()
	for range 3 {
		if n, added := c.Waiting(); n == 0 {
			<-added
		}
		c.Advance(time.Second)
		<-g.pushed
	}
	cancel()
	<-done
	<-g.pushed // once more at the end
	if page := string(Text(r.Gather())); !strings.Contains(page, `sqlstream_push_failures_total{target="otlp"} 2`) {
		t.Error(page)
	}
}
