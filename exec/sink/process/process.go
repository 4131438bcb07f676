// Package process is the sink exec, which hands rows to a command: a child process reads
// JSON lines on its standard input, in frames, and acknowledges each frame on its
// standard output. docs/formats/sinks.md has the lines. A frame that was not acknowledged
// is sent again, to a new child, with the same lines.
//
// child.go owns the process, frame.go the lines; it knows no plans and no checkpoints.
// Open this file first.
package process

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/staged"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Connector describes the sink.
func Connector() sink.Connector {
	return sink.Connector{
		Name: "exec", Aliases: []string{"command"},
		Doc: "Hands rows to a command, which reads JSON lines on standard input and acknowledges each frame of them on standard output; or runs a command for each batch.",
		Modes: map[sink.Mode]string{
			sink.Append:    "A line for each row that has become final.",
			sink.Update:    "A line for the new version of each row that changed; with weight -1 for the rows of keys that are gone.",
			sink.Complete:  "Lines for the whole result, again.",
			sink.Changelog: "Lines for old rows with weight -1 and for new rows with weight 1.",
		},
		Options: specs(),
		Deletes: true, Guarantee: sink.AtLeastOnce,
		Recovery: "A frame that was not acknowledged, or the last batch, may be sent again with the same lines, partition and version: a command that remembers the version takes each once.",
		Open:     open,
	}
}

func specs() []option.Spec {
	return []option.Spec{
		{Name: "command", Type: option.Text, Required: true,
			Doc: "The program and its arguments, separated by blanks; quotes and \\ keep blanks together. There is no shell between, so nothing else is special."},
		{Name: "shell", Type: option.Bool, Default: "false", Doc: "Give the command to /bin/sh -c as it is written."},
		{Name: "run", Type: option.Enum, Values: []string{"query", "batch"}, Default: "query",
			Doc: "With query, one process takes all batches and acknowledges each frame on standard output. With batch, each frame has a process of its own; exit status 0 acknowledges it, once all of it has been read."},
		{Name: "partitions", Type: option.Int, Min: 1, Max: 1024, Default: "1",
			Doc: "Into how many frames the rows of a batch are cut, sent one after the other: equal keys are in one frame."},
		{Name: "timeout", Type: option.Duration, Min: 1, Default: "1 minute",
			Doc: "How long a frame may take until it is acknowledged; then the process is killed and the frame sent to a new one."},
		{Name: "retry_timeout", Type: option.Duration, Default: "1 minute",
			Doc: "How long a frame is sent again, with growing pauses, to new processes when one has ended, timed out or asked for it; then the query fails. 0 = once only."},
	}
}

// Sink runs one command.
type Sink struct {
	cfg        sink.Config
	argv       []string
	perFrame   bool
	partitions int
	timeout    time.Duration
	retry      time.Duration
	json       *staged.JSON
	head       []byte // ,"query":…,"columns":[…] of an open line
	log        *slog.Logger
	child      *child // nil = none runs
}

func open(_ context.Context, c sink.Config) (sink.Sink, error) {
	d, err := option.Open(specs(), c.Options)
	if err != nil {
		return nil, err
	}
	s := &Sink{cfg: c, perFrame: d.Enum("run") == "batch", partitions: int(d.Int("partitions")),
		timeout: micros(d.Micros("timeout")), retry: micros(d.Micros("retry_timeout")), log: c.Log}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.argv = []string{"/bin/sh", "-c", d.Text("command")}
	if !d.Bool("shell") {
		words, problem := words(d.Text("command"))
		if problem != "" {
			return nil, diag.NewError(nil, diag.Errorf(diag.BadOptionValue, d.Span("command"), "command: %s", problem))
		}
		s.argv = words
	}
	if s.argv[0], err = lookUp(s.argv[0], c.Dir); err != nil {
		return nil, s.wrap(err)
	}
	if s.json, err = staged.NewJSON(c.Columns, c.Zone); err != nil {
		return nil, s.wrap(err)
	}
	s.head, err = s.openHead()
	return s, s.wrap(err)
}

func micros(us int64) time.Duration { return time.Duration(us) * time.Microsecond }

// words splits a command as a shell splits words, with quotes and \, and nothing else.
func words(text string) (out []string, problem string) {
	var word strings.Builder
	in, quote := false, rune(0)
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == '\\' && quote != '\'':
			if i++; i == len(runes) {
				return nil, "ends with \\"
			}
			word.WriteRune(runes[i])
			in = true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, in = r, true
		case strings.ContainsRune(" \t\r\n", r):
			if in {
				out = append(out, word.String())
				word.Reset()
			}
			in = false
		default:
			word.WriteRune(r)
			in = true
		}
	}
	if quote != 0 {
		return nil, fmt.Sprintf("a %c is never closed", quote)
	}
	if in {
		out = append(out, word.String())
	}
	if len(out) == 0 || out[0] == "" {
		return nil, "there is no program in it"
	}
	return out, ""
}

// Marker implements sink.Sink: what the command remembers is its own business.
func (s *Sink) Marker(context.Context) (sink.Marker, error) { return sink.Marker{ID: -1}, nil }

// Stage implements sink.Sink.
func (s *Sink) Stage(ctx context.Context, _ sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	payload, err := staged.Partitioned(ctx, s.partitions, staged.ByHash(s.cfg.Key), rows)
	return payload, s.wrap(err)
}

// Publish implements sink.Sink.
func (s *Sink) Publish(ctx context.Context, b sink.Batch, payload []byte) error {
	parts, err := staged.Split(payload)
	if err != nil {
		return s.wrap(err)
	}
	for i, p := range parts {
		if len(p) == 0 && s.cfg.Mode != sink.Complete {
			continue
		}
		if err := s.send(ctx, frame{partition: i, version: b.ID, rows: p}); err != nil {
			return s.wrap(fmt.Errorf("partition %d: %w", i, err))
		}
	}
	return nil
}

// send gives a frame to a child until one acknowledges it.
func (s *Sink) send(ctx context.Context, f frame) error {
	wait := clock.Backoff{Clock: s.cfg.Clock, First: 100 * time.Millisecond, Most: 10 * time.Second, Limit: max(s.retry, 1)}
	for {
		err := s.attempt(ctx, f)
		var again *retryError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			s.drop()
			return ctx.Err()
		case !asRetry(err, &again):
			s.drop()
			return err
		}
		if !again.keep {
			s.drop()
		}
		s.log.Warn("a frame is sent again", "query", s.cfg.Query, "sink", s.cfg.Name, "batch_id", f.version, "err", err)
		ok, waitErr := wait.Wait(ctx, 0)
		if waitErr != nil {
			s.drop()
			return waitErr
		}
		if !ok {
			s.drop()
			return fmt.Errorf("%w; given up after retry_timeout = %s", err, s.retry)
		}
	}
}

// attempt sends a frame once, to the child that runs or to a new one.
func (s *Sink) attempt(ctx context.Context, f frame) error {
	if s.child == nil {
		c, err := s.start(f)
		if err != nil {
			return err
		}
		s.child = c
	}
	err := s.child.take(ctx, s, f)
	if s.perFrame && err == nil {
		s.child = nil
	}
	return err
}

// drop ends a child that is not trusted any more.
func (s *Sink) drop() {
	if s.child != nil {
		s.child.kill()
		s.child = nil
	}
}

// Discard implements sink.Sink: nothing was staged outside.
func (s *Sink) Discard(context.Context, sink.Batch) error { return nil }

// Description implements sink.Sink. Arguments stay out: they may be secret.
func (s *Sink) Description() string { return "ExecSink[" + s.cfg.Name + "]" }

// Close implements sink.Sink: the end of its input tells the child to end.
func (s *Sink) Close() error {
	if s.child == nil {
		return nil
	}
	err := s.child.finish(min(s.timeout, 10*time.Second))
	s.child = nil
	return s.wrap(err)
}

func (s *Sink) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sink %q: %w", s.cfg.Name, err)
}
