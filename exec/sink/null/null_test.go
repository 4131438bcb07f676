package null_test

import (
	"context"
	"testing"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/null"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func TestCounts(t *testing.T) {
	s, err := null.Connector().Open(context.Background(), sink.Config{Name: "n"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Stage(context.Background(), sink.Batch{}, func(emit func(*vec.Batch) error) error {
		return emit(&vec.Batch{N: 5, Sel: []int32{1, 3}})
	})
	if err != nil || string(p) != `{"rows":2}` {
		t.Fatal(string(p), err)
	}
	if err := s.Publish(context.Background(), sink.Batch{}, p); err != nil || s.(*null.Sink).Rows() != 2 {
		t.Error(err)
	}
	if err := s.Publish(context.Background(), sink.Batch{ID: 4}, []byte("{")); err == nil || err.Error() != `sink "n": payload of batch 4: unexpected end of JSON input` {
		t.Error(err)
	}
}
