package crash

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/storage/crash"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// scenarios are histories that no crash makes, but people and other machines do. Each
// wants a refusal that says why and what to do, and nothing lost or written twice.
var scenarios = map[string]func() error{
	"an older checkpoint meets a newer sink":   olderCheckpoint,
	"a newer checkpoint meets an older sink":   olderSink,
	"the sink was emptied":                     emptiedSink,
	"a fresh checkpoint meets a used sink":     freshCheckpoint,
	"two runs without a lock":                  twoRuns,
	"each run has a higher epoch":              epochs,
	"an older checkpoint goes on where told":   adoptOlder,
	"another sink takes over from the next on": adoptMoved,
}

// stage is a history in the making: one file system, one life after another.
type stage struct {
	r    *runner
	fs   *vfs.Crashable
	life int
}

func newStage(name string) *stage {
	all := workloads(9, 4)
	i := slices.IndexFunc(all, func(w *workload) bool { return w.name == name })
	return &stage{r: &runner{workload: all[i], arrived: map[string]int{}}, fs: vfs.NewCrashable(1)}
}

// goOn runs a life in which only the first files are there.
func (s *stage) goOn(files int) error {
	s.life++
	part := *s.r
	w := *s.r.workload
	part.workload = &w
	w.inputs = map[string][]file{}
	for name, f := range s.r.inputs {
		w.inputs[name] = f[:min(files, len(f))]
	}
	return part.work(crash.Life{FS: s.fs, N: s.life, Rand: rand.New(rand.NewPCG(7, uint64(s.life)))})
}

func (s *stage) check() error { return s.r.check(crash.Life{FS: s.fs}) }

// save copies a directory, restore puts the copy in its place.
func (s *stage) save(dir string) (map[string][]byte, error) {
	out := map[string][]byte{}
	return out, walk(s.fs, dir, func(name string) error {
		data, err := vfs.ReadFile(s.fs, name)
		out[name] = data
		return err
	})
}

func (s *stage) restore(dir string, files map[string][]byte) error {
	if err := s.fs.RemoveAll(dir); err != nil {
		return err
	}
	for name, data := range files {
		if err := vfs.MkdirAllSync(s.fs, path.Dir(name)); err != nil {
			return err
		}
		if err := vfs.WriteFileAtomic(s.fs, name, data, true); err != nil {
			return err
		}
	}
	return nil
}

// refused wants an error with all the texts.
func refused(err error, texts ...string) error {
	if err == nil {
		return fmt.Errorf("accepted; expected a refusal with %q", texts)
	}
	for _, t := range texts {
		if !strings.Contains(err.Error(), t) {
			return fmt.Errorf("the refusal lacks %q: %w", t, err)
		}
	}
	return nil
}

const both = "filter to partitioned Parquet"

// saved runs to 3 files, saves a directory, and goes on to 6.
func saved(name, dir string) (*stage, map[string][]byte, error) {
	s := newStage(name)
	if err := s.goOn(3); err != nil {
		return nil, nil, err
	}
	copied, err := s.save(dir)
	if err != nil {
		return nil, nil, err
	}
	return s, copied, s.goOn(6)
}

func olderCheckpoint() error {
	s, old, err := saved(both, "/ck")
	if err != nil {
		return err
	}
	newer, err := s.save("/ck")
	if err != nil {
		return err
	}
	if err := s.restore("/ck", old); err != nil {
		return err
	}
	if err := refused(s.goOn(9), "the checkpoint is older than the sink", "restore the newer checkpoint"); err != nil {
		return err
	}
	if err := s.restore("/ck", newer); err != nil {
		return err
	}
	return errors.Join(s.goOn(9), s.check())
}

func olderSink() error {
	s, old, err := saved(both, "/out")
	if err != nil {
		return err
	}
	newer, err := s.save("/out")
	if err != nil {
		return err
	}
	if err := s.restore("/out", old); err != nil {
		return err
	}
	if err := refused(s.goOn(9), "batches are missing from the sink", "adopt_sink"); err != nil {
		return err
	}
	if err := s.restore("/out", newer); err != nil {
		return err
	}
	return errors.Join(s.goOn(9), s.check())
}

func emptiedSink() error {
	s, _, err := saved(both, "/out")
	if err != nil {
		return err
	}
	newer, err := s.save("/out")
	if err == nil {
		err = s.restore("/out", nil)
	}
	if err != nil {
		return err
	}
	if err := refused(s.goOn(9), "it holds nothing, but the checkpoint is at batch", "adopt_sink"); err != nil {
		return err
	}
	if err := s.restore("/out", newer); err != nil {
		return err
	}
	return errors.Join(s.goOn(9), s.check())
}

func freshCheckpoint() error {
	s, _, err := saved(both, "/out")
	if err != nil {
		return err
	}
	old, err := s.save("/ck")
	if err == nil {
		err = s.restore("/ck", nil)
	}
	if err != nil {
		return err
	}
	if err := refused(s.goOn(9), "was written with another checkpoint of query", "restore that checkpoint"); err != nil {
		return err
	}
	if err := s.restore("/ck", old); err != nil {
		return err
	}
	return errors.Join(s.goOn(9), s.check())
}

// adoptOlder: with adopt_sink, an older checkpoint goes on after what the sink holds.
func adoptOlder() error {
	s, old, err := saved(both, "/ck")
	if err != nil {
		return err
	}
	if err := s.restore("/ck", old); err != nil {
		return err
	}
	s.r.sql = strings.Replace(s.r.sql, "(name = 'q')", "(name = 'q', adopt_sink = true)", 1)
	if err := s.goOn(9); err != nil {
		return err
	}
	files, err := s.r.output(s.fs, "/out/s")
	if err != nil {
		return err
	}
	want, got := map[string]int{}, map[string]int{}
	for i, f := range s.r.inputs["a"] {
		for _, r := range f.rows {
			if r.V%3 == 0 {
				continue
			}
			want[fmt.Sprint(r.ID)]++
			if i >= 3 && i < 6 { // published by both histories, as asked for
				want[fmt.Sprint(r.ID)]++
			}
		}
	}
	for _, rows := range files {
		for _, r := range rows {
			id, _, _ := strings.Cut(r, "|")
			got[id]++
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("the sink has ids %v, expected %v", got, want)
	}
	return nil
}

// adoptMoved: a sink in another place is refused by name, and taken when told so.
func adoptMoved() error {
	s := newStage(both)
	if err := s.goOn(3); err != nil {
		return err
	}
	s.r.sql = strings.Replace(s.r.sql, "path = '/out/s'", "path = '/out/new'", 1)
	if err := refused(s.goOn(6), "/out/new", "adopt_sink"); err != nil {
		return err
	}
	s.r.sql = strings.Replace(s.r.sql, "(name = 'q')", "(name = 'q', adopt_sink = true)", 1)
	if err := s.goOn(6); err != nil {
		return err
	}
	if err := s.goOn(9); err != nil { // the text stays as it is
		return err
	}
	want := filterModel([]taken{{rows: map[string][]row{"a": join(s.r.inputs["a"])}}}).rows[0][0]
	var got []string
	for _, dir := range []string{"/out/s", "/out/new"} {
		files, err := s.r.output(s.fs, dir)
		if err != nil {
			return err
		}
		for _, rows := range files {
			got = append(got, rows...)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		return fmt.Errorf("both sinks have\n%s\nexpected\n%s", clip(got), clip(want))
	}
	return nil
}

func join(files []file) (rows []row) {
	for _, f := range files {
		rows = append(rows, f.rows...)
	}
	return rows
}

// epochs: what a sink is given in a later life carries a higher epoch.
func epochs() error {
	s := newStage("trigger time")
	rec := &recorder{fs: s.fs, dir: "/out/s"}
	before := int64(-1)
	for files := 2; files <= 8; files += 2 {
		if err := s.goOn(files); err != nil {
			return err
		}
		_, b, err := rec.last()
		if err != nil {
			return err
		}
		if b.Epoch <= before {
			return fmt.Errorf("epoch %d follows epoch %d", b.Epoch, before)
		}
		before = b.Epoch
	}
	return nil
}

// lockless is a file system whose locks do nothing, as some network file systems'.
type lockless struct{ vfs.FS }

type noLock struct{}

func (noLock) Close() error { return nil }

func (lockless) Lock(string) (io.Closer, error) { return noLock{}, nil }

// twoRuns: a run that was thought dead goes on beside its successor. Whoever is fenced
// fails; what the sink holds is right, and a later start goes on.
func twoRuns() error {
	for order := range 4 {
		if err := twoRunsIn(order); err != nil {
			return fmt.Errorf("order %d: %w", order, err)
		}
	}
	return nil
}

func twoRunsIn(order int) error {
	s := newStage(both)
	zombie, err := s.start(3)
	if err != nil {
		return err
	}
	defer zombie.e.Kill()
	if _, err := zombie.trigger(); err != nil {
		return err
	}
	heir, err := s.start(5)
	if err != nil {
		return err
	}
	defer heir.e.Kill()
	var errs []error
	for i := range 6 {
		p := heir
		if i>>(order&1)&1 == order>>1 {
			p = zombie
		}
		if _, err := p.trigger(); err != nil {
			errs = append(errs, err)
		}
	}
	zombie.e.Kill()
	heir.e.Kill()
	if err := s.nothingTwice(); err != nil {
		return errors.Join(append(errs, err)...)
	}
	if s.goOn(9) != nil {
		return nil // refused: the files of the checkpoint were written by two
	}
	return s.check()
}

// nothingTwice: whatever the sink holds, it holds no row more often than the input.
func (s *stage) nothingTwice() error {
	left := map[string]int{}
	for _, row := range filterModel([]taken{{rows: map[string][]row{"a": join(s.r.inputs["a"])}}}).rows[0][0] {
		left[row]++
	}
	files, _, _, err := s.r.logged(s.fs, s.r.sinks[0])
	if err != nil {
		return err
	}
	for _, rows := range files {
		for _, row := range rows {
			if left[row]--; left[row] < 0 {
				return fmt.Errorf("the sink has a row too often: %s", clip([]string{row}))
			}
		}
	}
	return nil
}

// start opens a life and its query without running a trigger; locks do not work.
func (s *stage) start(files int) (*life, error) {
	s.life++
	part := *s.r
	w := *s.r.workload
	part.workload = &w
	w.inputs = map[string][]file{"a": s.r.inputs["a"][:files]}
	p := &life{runner: &part, Life: crash.Life{FS: s.fs, N: s.life, Rand: rand.New(rand.NewPCG(9, uint64(s.life)))},
		boxes: map[string]*inbox{}, fed: map[string]int{}, lockless: true}
	if err := p.open(); err != nil {
		return nil, err
	}
	return p, p.launch()
}
