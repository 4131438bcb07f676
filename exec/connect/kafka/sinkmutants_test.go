//go:build mutants

package kafka

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/sink"
)

// Each planted bug shows in a history in which the right code holds.
func TestSinkMutants(t *testing.T) {
	has := func(o *out, want ...string) bool { return slices.Equal(o.read("out"), want) }
	next := func(o *out, id int64, payload []byte) bool {
		p := o.open()
		m, err := p.Marker(context.Background())
		return err == nil && (m.ID == id || p.Publish(context.Background(), o.batch(id), payload) == nil)
	}
	for name, holds := range map[string]func(t *testing.T) bool{
		"a batch is published again": func(t *testing.T) bool {
			o := newOut(t)
			p := o.start(-1)
			payload := o.put(p, 0, []any{"a", "1"})
			o.publish(p, 0, payload)
			return has(o, "a=1")
		},
		"a commit without an answer is repeated": func(t *testing.T) bool {
			o := newOut(t)
			p := o.start(-1)
			o.endTxn(true, kerr.UnknownServerError.Code)
			o.put(p, 0, []any{"a", "1"})
			return has(o, "a=1")
		},
		"the marker comes after the batch": func(t *testing.T) bool {
			o := newOut(t)
			p := o.start(-1)
			payload := o.stage(p, 0, o.rows([]any{"a", "1"}))
			steps := 0
			p.At(func(_ context.Context, at string) error {
				if at == string(marked) {
					steps++
					return errCrash
				}
				return nil
			})
			if err := p.Publish(context.Background(), o.batch(0), payload); !errors.Is(err, errCrash) {
				return false
			}
			return next(o, 0, payload) && has(o, "a=1")
		},
		"the marker has no message": func(t *testing.T) bool {
			o := newOut(t)
			p := o.start(-1)
			payload := o.put(p, 0, []any{"a", "1"})
			if _, err := p.admin.DeleteGroup(context.Background(), p.group()); err != nil {
				return false
			}
			return next(o, 0, payload) && has(o, "a=1")
		},
		"nobody is shut out": func(t *testing.T) bool {
			o := newOut(t)
			zombie := o.start(-1)
			o.put(zombie, 0, []any{"a", "1"})
			payload := o.stage(zombie, 1, o.rows([]any{"z", "2"}))
			o.start(0)
			return zombie.Publish(context.Background(), sink.Batch{ID: 1, Epoch: 1}, payload) != nil
		},
		"a removed key keeps its message": func(t *testing.T) bool {
			o := jsonOut(t, sink.Update, "format", "json", "key_format", "raw")
			o.put(o.start(-1), 0, []any{"a", 1, -1})
			return has(o, "a=(null)")
		},
		"an update is told as a new row": func(t *testing.T) bool {
			o := jsonOut(t, sink.Changelog, "format", "debezium-json", "key_format", "raw")
			o.put(o.start(-1), 0, []any{"a", 1, -1}, []any{"a", 2})
			return has(o, `a={"before":{"who":"a","n":1},"after":{"who":"a","n":2},"op":"u"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			if !holds(t) {
				t.Fatal("the right code fails")
			}
			defer mutant.Activate(name)()
			if holds(t) {
				t.Error("the bug is not found")
			}
		})
	}
}
