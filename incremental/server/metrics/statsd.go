package metrics

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// StatsD sends metrics over UDP: counters as what was added since the last push, gauges as
// they are, histograms as the counters name_count and name_sum. Labels become tags of the
// DogStatsD dialect, or, for servers that know none, parts of the name.
type StatsD struct {
	addr string
	tags bool
	conn net.Conn
	sent map[string]float64 // counters, as they were last sent
}

// mostDatagram keeps a datagram within the frame of usual networks.
const mostDatagram = 1400

// NewStatsD returns a target at an address, host:port.
func NewStatsD(addr string, tags bool) (*StatsD, error) {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return nil, fmt.Errorf("%q is no address: write host:port, such as 127.0.0.1:8125", addr)
	}
	return &StatsD{addr: addr, tags: tags, sent: map[string]float64{}}, nil
}

// Name implements Target.
func (*StatsD) Name() string { return "statsd" }

// Push implements Target.
func (s *StatsD) Push(ctx context.Context, _ time.Time, families []Family) error {
	if s.conn == nil {
		c, err := (&net.Dialer{}).DialContext(ctx, "udp", s.addr)
		if err != nil {
			return err
		}
		s.conn = c
	}
	sent := map[string]float64{}
	var datagram []byte
	for _, line := range s.lines(families, sent) {
		if len(datagram) > 0 && len(datagram)+1+len(line) > mostDatagram {
			if err := s.write(datagram); err != nil {
				return err
			}
			datagram = datagram[:0]
		}
		if len(datagram) > 0 {
			datagram = append(datagram, '\n')
		}
		datagram = append(datagram, line...)
	}
	s.sent = sent
	if len(datagram) == 0 {
		return nil
	}
	return s.write(datagram)
}

// write sends a datagram; a socket that fails is opened anew next time.
func (s *StatsD) write(p []byte) error {
	_, err := s.conn.Write(p)
	if err != nil {
		s.conn.Close() //nolint:errcheck // it has failed
		s.conn = nil
	}
	return err
}

// lines makes the lines of a push, and notes counters in sent.
func (s *StatsD) lines(families []Family, sent map[string]float64) (out []string) {
	for _, f := range families {
		for _, m := range f.Samples {
			switch f.Kind {
			case Gauge:
				out = append(out, s.gauge(f, m)...)
			case Counter:
				out = s.counter(out, f, f.Name, m, m.Value, sent)
			case HistogramKind:
				out = s.counter(out, f, f.Name+"_count", m, float64(m.Histogram.Count()), sent)
				out = s.counter(out, f, f.Name+"_sum", m, m.Histogram.Sum, sent)
			}
		}
	}
	return out
}

// gauge sets a gauge; a number with a sign would be added, so one below zero is set to
// zero first.
func (s *StatsD) gauge(f Family, m Sample) []string {
	name, tags := s.name(f.Name, f.Labels, m.Labels)
	line := name + ":" + plain(m.Value) + "|g" + tags
	if m.Value < 0 {
		return []string{name + ":0|g" + tags, line}
	}
	return []string{line}
}

func (s *StatsD) counter(out []string, f Family, metric string, m Sample, v float64, sent map[string]float64) []string {
	name, tags := s.name(metric, f.Labels, m.Labels)
	key := name + tags
	before := s.sent[key]
	if v < before { // it began anew
		before = 0
	}
	sent[key] = v
	if v == before {
		return out
	}
	return append(out, name+":"+plain(v-before)+"|c"+tags)
}

// name makes the name of a sample, and its tags.
func (s *StatsD) name(metric string, labels, values []string) (name, tags string) {
	if !s.tags {
		for _, v := range values {
			metric += "." + clean(v)
		}
		return metric, ""
	}
	for i, l := range labels {
		sep := ","
		if i == 0 {
			sep = "|#"
		}
		tags += sep + l + ":" + clean(values[i])
	}
	return metric, tags
}

// clean takes what separates parts of a line out of a value.
func clean(v string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || strings.ContainsRune(":|#@,.", r) {
			return '_'
		}
		return r
	}, v)
}

func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
