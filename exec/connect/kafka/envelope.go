package kafka

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

// A change event tells what became of a row, as Debezium does: {"before", "after", "op"}.
// The delta of a batch has the removed rows first. Where the key of messages is that of the
// query, a removed row waits for the new one of its key: together they are one update. Where
// it is not, removed rows are told before the new ones, as they come.

// pairs are removed rows whose key may have a new row in the batch.
type pairs struct {
	byKey map[string]int
	list  []waiting
}

// waiting is a removed row, encoded.
type waiting struct {
	rec    outMessage
	count  int64
	paired bool
}

func newPairs() *pairs { return &pairs{byKey: map[string]int{}} }

// change adds the event of a row, or makes it wait.
func (st *stage) change(row int, weight int64) error {
	what := inserts
	if weight < 0 {
		what = removes
	}
	if err := st.encode(what, row); err != nil {
		return err
	}
	if weight < 0 && st.l.unique && st.rec.key != nil {
		st.pairs.wait(&st.rec, -weight)
		return nil
	}
	if weight < 0 {
		st.rec.value = deleted(st.value)
		return st.repeat(-weight)
	}
	if before := st.before(weight); before != nil {
		st.rec.value = updated(before, st.value)
		return st.add()
	}
	st.rec.value = created(&st.value)
	return st.repeat(weight)
}

// repeat adds the message so many times.
func (st *stage) repeat(n int64) error {
	for range n {
		if err := st.add(); err != nil {
			return err
		}
	}
	return nil
}

// wait copies a removed row.
func (p *pairs) wait(r *outMessage, count int64) {
	kept := *r
	kept.key, kept.value, kept.headers = slices.Clone(r.key), slices.Clone(r.value), slices.Clone(r.headers)
	p.byKey[pairName(r)] = len(p.list)
	p.list = append(p.list, waiting{rec: kept, count: count})
}

// pairName is where a row belongs: an update is one message, in one topic.
func pairName(r *outMessage) string { return r.topic + "\x00" + string(r.key) }

// before is the removed row that the row at hand replaces, nil = none.
func (st *stage) before(weight int64) []byte {
	if weight != 1 || mutant.On("an update is told as a new row") {
		return nil
	}
	i, ok := st.pairs.byKey[pairName(&st.rec)]
	if !ok || st.pairs.list[i].paired || st.pairs.list[i].count != 1 {
		return nil
	}
	w := &st.pairs.list[i]
	if w.rec.partition != st.rec.partition {
		return nil
	}
	w.paired = true
	return w.rec.value
}

// removed adds the events of rows that nothing replaced.
func (st *stage) removed() error {
	for i := range st.pairs.list {
		w := &st.pairs.list[i]
		if w.paired {
			continue
		}
		st.rec = w.rec
		st.rec.value = deleted(w.rec.value)
		if err := st.repeat(w.count); err != nil {
			return err
		}
	}
	st.rec = outMessage{}
	return nil
}

// created makes the event of a new row in the memory of the row.
func created(row *[]byte) []byte {
	const head, tail = `{"before":null,"after":`, `,"op":"c"}`
	*row = append(slices.Insert(*row, 0, []byte(head)...), tail...)
	return *row
}

func updated(before, after []byte) []byte {
	return slices.Concat([]byte(`{"before":`), before, []byte(`,"after":`), after, []byte(`,"op":"u"}`))
}

func deleted(before []byte) []byte {
	return slices.Concat([]byte(`{"before":`), before, []byte(`,"after":null,"op":"d"}`))
}
