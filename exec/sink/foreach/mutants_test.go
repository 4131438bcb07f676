//go:build mutants

package foreach_test

import (
	"context"
	"errors"
	"testing"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/sinktest"
)

// left is a run in which open says false, and one with an error.
func left(t *testing.T) string {
	t.Helper()
	c := &calls{of: map[string][]string{}}
	s := open(t, c, sink.Append)
	c.open = func(int, int64) (bool, error) { return false, nil }
	payload, err := sinktest.Write(s, sink.Batch{}, sinktest.Batch(cols, []any{"x", 1}))
	if err != nil {
		t.Fatal(err)
	}
	c.open = func(int, int64) (bool, error) { return true, errors.New("no") }
	_ = s.Publish(context.Background(), sink.Batch{}, payload)
	return c.all()
}

func TestMutantsDie(t *testing.T) {
	want := left(t)
	for _, name := range []string{"a partition is called by the number of a row", "rows follow although open said false", "close is not told of the error"} {
		t.Run("mutant "+name, func(t *testing.T) {
			defer mutant.Activate(name)()
			if left(t) == want && stagedPartitions(t) == nil {
				t.Error("survived")
			}
		})
	}
}
