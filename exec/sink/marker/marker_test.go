package marker_test

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/marker"
	"github.com/sqlstream/sqlstream/exec/sink/sinktest"
)

func TestRule(t *testing.T) {
	const payload = "rows"
	own := func(epoch, batch int64, payload string) *marker.Record {
		return &marker.Record{QueryID: "q", Epoch: epoch, Batch: batch, Digest: sink.Digest([]byte(payload))}
	}
	other := &marker.Record{QueryID: "x", Query: "else", Epoch: 9, Batch: 40}
	for _, c := range []struct {
		what  string
		have  *marker.Record
		batch int64
		want  string // "" = write, "done", or part of the error
		adopt string // with adopt_sink
	}{
		{"new output, first batch", nil, 0, "", ""},
		{"new output, later batch", nil, 3, "no record of batch 2", ""},
		{"the next batch", own(2, 4, "x"), 5, "", ""},
		{"an older run wrote the last batch", own(1, 4, "x"), 5, "", ""},
		{"the same batch", own(2, 5, payload), 5, "done", "done"},
		{"the same batch of an older run", own(1, 5, payload), 5, "done", "done"},
		{"another batch of the same number", own(2, 5, "x"), 5, "another batch 5", ""},
		{"a gap", own(2, 3, "x"), 5, "holds batch 3, which batch 5 cannot follow", ""},
		{"the past", own(2, 7, "x"), 5, "holds batch 7, which batch 5 cannot follow", ""},
		{"a newer run", own(3, 4, "x"), 5, "taken over by a newer run", "taken over by a newer run"},
		{"a newer run, and the batch is there", own(3, 5, payload), 5, "taken over by a newer run", "taken over by a newer run"},
		{"another query", other, 5, `belongs to query "else"`, ""},
	} {
		for _, adopt := range []bool{false, true} {
			want := c.want
			if adopt {
				want = c.adopt
			}
			r := marker.Rule{Config: sink.Config{QueryID: "q", Query: "mine", Adopt: adopt}, Where: "table t"}
			next, err := r.Next(c.have, sink.Batch{ID: c.batch, Epoch: 2}, []byte(payload))
			switch {
			case want == "" && (err != nil || next == nil || *next != marker.Record{QueryID: "q", Query: "mine", Epoch: 2, Batch: c.batch, Digest: sink.Digest([]byte(payload))}):
				t.Errorf("%s: %v %v", c.what, next, err)
			case want == "done" && (err != nil || next != nil):
				t.Errorf("%s: %v %v", c.what, next, err)
			case want != "" && want != "done" && sinktest.Has(err, want, "table t") != "":
				t.Errorf("%s: %v", c.what, err)
			}
		}
	}
}

func TestClaimRaisesTheEpochOnly(t *testing.T) {
	r := marker.Rule{Config: sink.Config{QueryID: "q"}, Where: "table t"}
	have := &marker.Record{QueryID: "q", Epoch: 1, Batch: 4, Digest: "d"}
	next, err := r.Claim(have, sink.Batch{ID: 5, Epoch: 2})
	if err != nil || next == nil || next.Epoch != 2 || next.Batch != 4 || next.Digest != "d" {
		t.Error(next, err)
	}
	if next, err := r.Claim(have, sink.Batch{ID: 5, Epoch: 1}); next != nil || err != nil {
		t.Error(next, err)
	}
	if _, err := r.Claim(have, sink.Batch{ID: 5, Epoch: 0}); sinktest.Has(err, "newer run") != "" {
		t.Error(err)
	}
	if next, err := r.Claim(nil, sink.Batch{ID: 0, Epoch: 1}); err != nil || next.Batch != -1 {
		t.Error(next, err)
	}
	if m, err := r.Marker(&marker.Record{QueryID: "q", Batch: -1}); m.OK || err != nil {
		t.Error(m, err)
	}
	have.QueryID = "x"
	if _, err := r.Marker(have); sinktest.Has(err, "belongs to query") != "" {
		t.Error(err)
	}
	if _, err := r.Claim(have, sink.Batch{ID: 0, Epoch: 1}); sinktest.Has(err, "belongs to query") != "" {
		t.Error(err)
	}
	r.Config.Adopt = true
	if m, err := r.Marker(have); m.OK || err != nil {
		t.Error(m, err)
	}
	if next, err := r.Claim(have, sink.Batch{ID: 8, Epoch: 1}); err != nil || next.Batch != 7 || next.QueryID != "q" {
		t.Error(next, err)
	}
}
