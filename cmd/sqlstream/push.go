package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/server/metrics"
	"github.com/sqlstream/sqlstream/incremental/server/webhook"
)

// pushFlags say who is told without asking: nobody by default.
type pushFlags struct {
	webhooks, events []string
	secretFile       string
	statsd           string
	statsdPlain      bool
	otlp             string
	every            time.Duration
}

// The environment variables that hold secrets of what is pushed.
const (
	webhookVariable = "SQLSTREAM_WEBHOOK_SECRET"
	otlpVariable    = "OTEL_EXPORTER_OTLP_HEADERS" // name=value,name=value
)

func (f *pushFlags) define(x *pflag.FlagSet) {
	x.StringArrayVar(&f.webhooks, "webhook", nil, "address that each event of a query is posted to; may be repeated")
	x.StringArrayVar(&f.events, "webhook-event", nil, "only this event: "+strings.Join(webhook.Events(), ", ")+"; may be repeated")
	x.StringVar(&f.secretFile, "webhook-secret-file", "", "file with a secret that webhooks get in the header "+webhook.SecretHeader+" (or "+webhookVariable+")")
	x.StringVar(&f.statsd, "statsd", "", "host:port of a StatsD server that metrics are pushed to, over UDP")
	x.BoolVar(&f.statsdPlain, "statsd-plain", false, "put labels into the names instead of tags")
	x.StringVar(&f.otlp, "otlp", "", "base address of an OpenTelemetry collector that metrics are pushed to, over HTTP; headers come from "+otlpVariable)
	x.DurationVar(&f.every, "push-every", 10*time.Second, "how often metrics are pushed")
}

// pushes is what tells others, and the registry of metrics.
type pushes struct {
	f        *pushFlags
	log      *slog.Logger
	registry *metrics.Registry
	hooks    webhook.Hooks
	targets  []metrics.Target
	running  sync.WaitGroup
	stop     context.CancelFunc
}

func newPushes(f *pushFlags, log *slog.Logger) (*pushes, error) {
	now := clockOf().Now()
	p := &pushes{f: f, log: log, registry: metrics.NewRegistry(metrics.Process{Version: version(), Started: now})}
	if f.every < 100*time.Millisecond {
		return nil, fmt.Errorf("--push-every is at least 100ms")
	}
	if err := p.addHooks(); err != nil {
		return nil, fmt.Errorf("--webhook: %w", err)
	}
	if f.statsd != "" {
		t, err := metrics.NewStatsD(f.statsd, !f.statsdPlain)
		if err != nil {
			return nil, fmt.Errorf("--statsd: %w", err)
		}
		p.targets = append(p.targets, t)
	}
	if f.otlp != "" {
		t, err := metrics.NewOTLP(f.otlp, otlpHeaders(os.Getenv(otlpVariable)), now, version())
		if err != nil {
			return nil, fmt.Errorf("--otlp: %w", err)
		}
		p.targets = append(p.targets, t)
	}
	return p, nil
}

func (p *pushes) addHooks() error {
	secret := os.Getenv(webhookVariable)
	if p.f.secretFile != "" {
		raw, err := os.ReadFile(p.f.secretFile)
		if err != nil {
			return err
		}
		secret = strings.TrimSpace(string(raw))
	}
	for _, u := range p.f.webhooks {
		h, err := webhook.New(webhook.Options{URL: u, Secret: secret, Events: p.f.events, Clock: clockOf(), Log: p.log})
		if err != nil {
			return err
		}
		p.hooks = append(p.hooks, h)
	}
	return nil
}

// otlpHeaders reads what the variable of OpenTelemetry holds; values are URL-encoded.
func otlpHeaders(text string) map[string]string {
	out := map[string]string{}
	for _, pair := range strings.Split(text, ",") {
		k, v, ok := strings.Cut(pair, "=")
		if v, err := url.PathUnescape(strings.TrimSpace(v)); ok && err == nil {
			out[strings.TrimSpace(k)] = v
		}
	}
	return out
}

// begin listens to an engine and pushes until close.
func (p *pushes) begin(e *engine.Engine) {
	queries := metrics.NewQueries(e, clockOf())
	counted := e.Listen(queries)
	p.registry.Add(queries)
	p.registry.Add(metrics.Listener{Name: "metrics", Dropped: counted.Dropped})
	p.registry.Add(p.hooks)
	for _, h := range p.hooks {
		h.Listen(e)
	}
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	for _, t := range p.targets {
		pusher := metrics.NewPusher(p.registry, t, p.f.every, clockOf(), p.log)
		p.running.Go(func() { pusher.Run(ctx) })
	}
}

// close pushes once more, and gives up what webhooks have not taken.
func (p *pushes) close() {
	p.stop()
	p.running.Wait()
	p.hooks.Close()
}
