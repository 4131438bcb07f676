// Package webhook tells an HTTP address what happens to queries: an engine.Listener that
// posts each event as a JSON object. It is to be added with Engine.Listen, whose queue
// bounds what waits; a receiver that is slow or gone costs events, never a query its time.
// It knows nothing of the server. Open this file first.
package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/server/metrics"
	"github.com/sqlstream/sqlstream/incremental/trigger"
)

// SecretHeader carries the secret by which the receiver knows the sender.
const SecretHeader = "X-Sqlstream-Secret" //nolint:gosec // the name of a header

// DeliveryHeader names an event: attempts to deliver the same one have the same value.
const DeliveryHeader = "X-Sqlstream-Delivery"

// Events lists what happens to queries.
func Events() []string { return []string{"started", "progress", "idle", "terminated"} }

// Options configure a hook.
type Options struct {
	URL      string
	Secret   string   // "" = none
	Events   []string // of Events; nil = all
	Timeout  time.Duration
	Attempts int // to deliver an event; 0 = 5
	Clock    clock.Clock
	Log      *slog.Logger
	Client   *http.Client // nil = one of its own
}

// Event is what is posted.
type Event struct {
	Event    string            `json:"event"`
	Time     time.Time         `json:"time"`
	Query    string            `json:"query"`
	ID       string            `json:"id"`
	RunID    string            `json:"run_id"`
	Error    string            `json:"error,omitempty"` // of a query that failed
	Progress *trigger.Progress `json:"progress,omitempty"`
}

// Hook posts events. It is an engine.Listener and a metrics.Source.
type Hook struct {
	opt  Options
	name string // the address without user, path and query, for messages
	ctx  context.Context
	end  context.CancelFunc

	mu                          sync.Mutex
	attempts, delivered, failed float64
	ill                         bool // the last event was not delivered
	sub                         *engine.Subscription
}

// New returns a hook that posts nothing yet; see Listen.
func New(o Options) (*Hook, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("a webhook is an http:// or https:// address")
	}
	for _, e := range o.Events {
		if !slices.Contains(Events(), e) {
			return nil, fmt.Errorf("there is no event %q: it is one of %v", e, Events())
		}
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Attempts == 0 {
		o.Attempts = 5
	}
	if o.Client == nil { // redirects are not followed: they would carry the secret elsewhere
		o.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	h := &Hook{opt: o, name: u.Scheme + "://" + u.Host}
	h.ctx, h.end = context.WithCancel(context.Background())
	return h, nil
}

// Listen adds the hook to an engine.
func (h *Hook) Listen(e *engine.Engine) {
	sub := e.Listen(h)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sub = sub
}

// Close gives up what has not been delivered.
func (h *Hook) Close() {
	h.end()
	h.opt.Client.CloseIdleConnections()
}

// QueryStarted implements engine.Listener.
func (h *Hook) QueryStarted(q *engine.Query) { h.post("started", q, Event{}) }

// QueryProgress implements engine.Listener.
func (h *Hook) QueryProgress(q *engine.Query, p *trigger.Progress) {
	h.post("progress", q, Event{Progress: p})
}

// QueryIdle implements engine.Listener.
func (h *Hook) QueryIdle(q *engine.Query) { h.post("idle", q, Event{}) }

// QueryTerminated implements engine.Listener.
func (h *Hook) QueryTerminated(q *engine.Query, err error) {
	ev := Event{}
	if err != nil {
		ev.Error = err.Error()
	}
	h.post("terminated", q, ev)
}

// post delivers an event, in several attempts if need be.
func (h *Hook) post(kind string, q *engine.Query, ev Event) {
	if h.opt.Events != nil && !slices.Contains(h.opt.Events, kind) {
		return
	}
	ev.Event, ev.Time, ev.Query, ev.ID, ev.RunID = kind, h.opt.Clock.Now().UTC(), q.Name, q.ID, q.RunID()
	body, err := json.Marshal(ev)
	if err == nil {
		err = h.deliver(body)
	}
	h.note(err)
}

// deliver posts until the receiver takes it, refuses it, or the attempts are used up.
func (h *Hook) deliver(body []byte) error {
	id, pause := uuid.NewString(), clock.Backoff{Clock: h.opt.Clock, First: 200 * time.Millisecond, Most: 10 * time.Second}
	for n := 1; ; n++ {
		again, err := h.attempt(id, body)
		if err == nil || !again || n == h.opt.Attempts {
			return err
		}
		if _, end := pause.Wait(h.ctx, 0); end != nil {
			return err
		}
	}
}

// attempt posts once; again says that it may go better later.
func (h *Hook) attempt(id string, body []byte) (again bool, err error) {
	h.count(&h.attempts)
	ctx, cancel := context.WithTimeout(h.ctx, h.opt.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.opt.URL, bytes.NewReader(body))
	if err != nil {
		return false, errors.New("the address cannot be called")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(DeliveryHeader, id)
	if h.opt.Secret != "" {
		r.Header.Set(SecretHeader, h.opt.Secret)
	}
	res, err := h.opt.Client.Do(r)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) { // its text has the whole address, which may hold secrets
			err = u.Err
		}
		return true, err
	}
	defer res.Body.Close()
	io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) //nolint:errcheck // so that the connection can be used again
	switch c := res.StatusCode; {
	case c >= 200 && c < 300:
		return false, nil
	case c == http.StatusTooManyRequests || c == http.StatusRequestTimeout || c >= 500:
		return true, fmt.Errorf("the receiver answered %s", res.Status)
	default:
		return false, fmt.Errorf("the receiver refused it: %s", res.Status)
	}
}

func (h *Hook) count(n *float64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	*n++
}

// note counts how an event fared, and logs when that changes.
func (h *Hook) note(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.ill
	h.ill = err != nil
	if err == nil {
		h.delivered++
	} else {
		h.failed++
	}
	switch {
	case err != nil && !was:
		h.opt.Log.Warn("a webhook does not take events; they are dropped until it does", "webhook", h.name, "err", err)
	case err == nil && was:
		h.opt.Log.Info("a webhook takes events again", "webhook", h.name)
	}
}

// Hooks are all hooks of a program: together a metrics.Source.
type Hooks []*Hook

// Collect implements metrics.Source.
func (hs Hooks) Collect(e *metrics.Emitter) {
	if len(hs) == 0 {
		return
	}
	var attempts, delivered, failed, dropped, waiting float64
	for _, h := range hs {
		h.mu.Lock()
		attempts, delivered, failed = attempts+h.attempts, delivered+h.delivered, failed+h.failed
		if h.sub != nil {
			dropped, waiting = dropped+float64(h.sub.Dropped()), waiting+float64(h.sub.Waiting())
		}
		h.mu.Unlock()
	}
	e.Value("sqlstream_webhook_attempts_total", attempts)
	e.Value("sqlstream_webhook_deliveries_total", delivered, "delivered")
	e.Value("sqlstream_webhook_deliveries_total", failed, "failed")
	e.Value("sqlstream_webhook_deliveries_total", dropped, "dropped")
	e.Value("sqlstream_webhook_queue_length", waiting)
}

// Close gives up what has not been delivered.
func (hs Hooks) Close() {
	for _, h := range hs {
		h.Close()
	}
}
