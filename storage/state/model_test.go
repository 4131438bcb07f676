package state

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlstream/sqlstream/storage/vfs"
)

// small makes everything happen often: segments of a few records, blocks of
// a few entries, merges of a few batches.
var small = Options{Retain: 3, SegmentBytes: 6 << 10, GrowBytes: 4 << 10, MergeBytes: 2 << 10, BlockBytes: 64}

type content map[string]string

// model is the naive state: a copy of everything after every batch.
type model struct {
	history map[int64]map[string]content // batch, operator
	last    int64
}

func newModel() *model {
	return &model{history: map[int64]map[string]content{-1: {}}, last: -1}
}

func (m *model) now() map[string]content { return m.history[m.last] }

func (m *model) begin() map[string]content {
	next := map[string]content{}
	for op, c := range m.now() {
		next[op] = maps.Clone(c)
	}
	m.last++
	m.history[m.last] = next
	return next
}

func (m *model) discard() {
	delete(m.history, m.last)
	m.last--
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func randomKey(rng *rand.Rand) string { return fmt.Sprintf("key-%03d", rng.IntN(60)) }

// randomSection changes c and writes the same changes.
func randomSection(rng *rand.Rand, w *SectionWriter, c content) {
	type change struct{ key, value string }
	var ranges [][2]string
	for range rng.IntN(3) {
		if rng.IntN(4) == 0 {
			a, b := randomKey(rng), randomKey(rng)
			ranges = append(ranges, [2]string{min(a, b), max(a, b)})
		}
	}
	var changes []change
	for range rng.IntN(12) {
		value := fmt.Sprintf("v%d-%s", rng.IntN(1000), bytes.Repeat([]byte("x"), rng.IntN(60)))
		if rng.IntN(5) < 2 {
			value = "" // delete
		}
		changes = append(changes, change{randomKey(rng), value})
	}
	if rng.IntN(2) == 0 {
		slices.SortStableFunc(changes, func(a, b change) int { return bytes.Compare([]byte(a.key), []byte(b.key)) })
	}
	for _, r := range ranges {
		maps.DeleteFunc(c, func(k, _ string) bool { return k >= r[0] && k < r[1] })
	}
	all := rng.IntN(40) == 0
	if all {
		clear(c)
	}
	for _, ch := range changes {
		if ch.value == "" {
			delete(c, ch.key)
			w.Delete([]byte(ch.key))
		} else {
			c[ch.key] = ch.value
			w.Put([]byte(ch.key), []byte(ch.value))
		}
	}
	for _, r := range ranges {
		w.DeleteRange([]byte(r[0]), []byte(r[1]))
	}
	if all {
		w.DeleteAll()
	}
}

func appendRandom(t *testing.T, rng *rand.Rand, s *Store, m *model) {
	t.Helper()
	next := m.begin()
	b := &Batch{ID: m.last, Meta: fmt.Appendf(nil, "meta %d", m.last), Payload: bytes.Repeat([]byte{7}, rng.IntN(900))}
	for _, op := range []string{"agg-1", "join-2.left", "top"} {
		if next[op] == nil {
			next[op] = content{}
		}
		w := new(SectionWriter)
		w.Reset(op)
		randomSection(rng, w, next[op])
		if !w.Empty() {
			b.Sections = append(b.Sections, w.Finish())
		}
	}
	must(t, s.Append(b))
}

func loaded(t *testing.T, s *Store, op string, batch int64, start, end []byte) content {
	t.Helper()
	got := content{}
	before := ""
	must(t, s.LoadRange(op, batch, start, end, func(k, v []byte) error {
		if before != "" && string(k) <= before {
			return fmt.Errorf("key %q after %q", k, before)
		}
		before = string(k)
		got[before] = string(v)
		return nil
	}))
	return got
}

func compare(t *testing.T, s *Store, m *model, batch int64) {
	t.Helper()
	for op, want := range m.history[batch] {
		if got := loaded(t, s, op, batch, nil, nil); !maps.Equal(got, want) {
			t.Fatalf("operator %s at batch %d:\ngot  %v\nwant %v", op, batch, got, want)
		}
	}
}

// TestRandomHistories runs puts, deletes and range deletes beside a map, with
// merges, restarts, crashes and discards between, and reads every batch that
// is still there.
func TestRandomHistories(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { randomHistory(t, seed) })
	}
}

func randomHistory(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	fs := vfs.NewCrashable(seed)
	m := newModel()
	s, err := Open(fs, "/state", small)
	must(t, err)
	for range 60 {
		switch rng.IntN(12) {
		case 0:
			must(t, s.Close())
			s, err = Open(fs, "/state", small)
		case 1:
			fs = fs.CrashClone(rng.Float64())
			s, err = Open(fs, "/state", small)
		case 2, 3:
			err = s.Compact(context.Background())
		case 4:
			if oldest, ok := s.Oldest(); ok && m.last > oldest {
				err = s.Discard(m.last)
				m.discard()
			}
		default:
			appendRandom(t, rng, s, m)
		}
		must(t, err)
		if last, ok := s.Last(); ok && last != m.last || !ok && m.last >= 0 {
			t.Fatalf("last batch %d %v, want %d", last, ok, m.last)
		}
	}
	if m.last < 0 {
		return
	}
	compareAll(t, rng, s, m)
}

func compareAll(t *testing.T, rng *rand.Rand, s *Store, m *model) {
	t.Helper()
	oldest, _ := s.Oldest()
	if m.last-oldest < 1 {
		t.Fatalf("only batches %d to %d are kept", oldest, m.last)
	}
	for batch := oldest; batch <= m.last; batch++ {
		compare(t, s, m, batch)
		p, err := s.Prepared(batch)
		if batch > m.last-2 && (err != nil || string(p.Meta) != fmt.Sprintf("meta %d", batch)) {
			t.Fatalf("prepared %d: %v %v", batch, p, err)
		}
	}
	a, b := randomKey(rng), randomKey(rng)
	want := maps.Clone(m.now()["top"])
	maps.DeleteFunc(want, func(k, _ string) bool { return k < min(a, b) || k >= max(a, b) })
	if got := loaded(t, s, "top", m.last, []byte(min(a, b)), []byte(max(a, b))); !maps.Equal(got, want) {
		t.Fatalf("range %s %s: got %v want %v", a, b, got, want)
	}
}
