// Package kafka is Kafka in both directions: topics as a source and as a sink.
//
// What both share is here: how brokers are reached and the client says who it is
// (settings.go, auth.go), and what errors of brokers mean to the user (errors.go). The
// source plans ranges of offsets and reads exactly those (source.go); the sink publishes a
// batch in one transaction. It knows formats through their contract, and neither plans nor
// checkpoints. Open this file first.
package kafka

import (
	"context"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// client is a connection to the brokers of some settings.
type client struct {
	*kgo.Client
	set  settings
	last *dialErrors
}

// newClient makes a client; extra are options of the source or the sink. It does not talk to
// the brokers yet: see check. Who makes it closes it.
func newClient(s settings, at surroundings, extra ...kgo.Opt) (*client, error) {
	last := &dialErrors{}
	opts := append(s.opts(at), kgo.WithHooks(last))
	cl, err := kgo.NewClient(append(opts, extra...)...)
	if err != nil {
		return nil, err
	}
	return &client{Client: cl, set: s, last: last}, nil
}

// dial makes a client and checks that the brokers answer and take the credentials.
func dial(ctx context.Context, s settings, at surroundings, extra ...kgo.Opt) (*client, error) {
	c, err := newClient(s, at, extra...)
	if err != nil {
		return nil, err
	}
	if err := c.check(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// check asks the brokers one after the other until one answers.
func (c *client) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.set.connect)
	defer cancel()
	if err := c.Ping(ctx); err != nil {
		return c.explain(err)
	}
	return nil
}

// opts are the settings as the library takes them.
func (s settings) opts(at surroundings) []kgo.Opt {
	out := []kgo.Opt{
		kgo.SeedBrokers(strings.Split(s.brokers, ",")...),
		kgo.ClientID(s.clientID),
		kgo.SoftwareNameAndVersion("sqlstream", "1"),
		kgo.DialTimeout(s.dial),
		kgo.ConnIdleTimeout(s.idle),
		kgo.RetryTimeout(s.retry),
		kgo.RequestRetries(1 << 20), // retry_timeout bounds them
		kgo.RetryBackoffFn(s.wait),
		kgo.DisableClientMetrics(),
	}
	if s.tls {
		if c, err := s.tlsConfig(); err == nil { // decodeSettings has seen to it
			out = append(out, kgo.DialTLSConfig(c))
		}
	}
	if m := s.saslMechanism(at.clock); m != nil {
		out = append(out, kgo.SASL(m))
	}
	return out
}

// wait is how long to wait before the given attempt is repeated, counted from 1.
func (s settings) wait(attempt int) time.Duration {
	w := s.backoff
	for ; attempt > 1 && w < s.backoffUp; attempt-- {
		w *= 2
	}
	return min(w, s.backoffUp)
}

// dialErrors remembers why brokers could not be reached: the library's own errors often
// say only that time was up.
type dialErrors struct {
	mu   sync.Mutex
	addr string
	err  error
}

// OnBrokerConnect implements kgo.HookBrokerConnect.
func (d *dialErrors) OnBrokerConnect(meta kgo.BrokerMetadata, _ time.Duration, _ net.Conn, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		d.addr, d.err = "", nil
		return
	}
	d.addr, d.err = net.JoinHostPort(meta.Host, portText(meta.Port)), err
}

func (d *dialErrors) get() (addr string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.addr, d.err
}

// sortedKeys lists the keys of a map in order, for messages and requests that do not change
// from run to run.
func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
