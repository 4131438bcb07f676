package crash

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/format/sinklog"
	"github.com/sqlstream/sqlstream/storage/checkpoint"
	"github.com/sqlstream/sqlstream/storage/crash"
	"github.com/sqlstream/sqlstream/storage/state"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// check is the judge of a finished run.
func (r *runner) check(l crash.Life) error {
	c, err := checkpoint.Open(l.FS, checkpointDir, checkpoint.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer c.Close()
	h, err := r.history(l.FS, c)
	if err != nil {
		return err
	}
	want := r.model(h)
	if err := r.checkLogs(l.FS, c, h, want.late); err != nil {
		return err
	}
	for i, dir := range r.sinks {
		got, err := r.output(l.FS, dir)
		if err != nil {
			return fmt.Errorf("sink %s: %w", dir, err)
		}
		if err := compare(h, got, want.rows[i]); err != nil {
			return fmt.Errorf("sink %s: %w", dir, err)
		}
	}
	return nil
}

// history is what each batch took. It demands that every row was taken, and once.
func (r *runner) history(disk vfs.FS, c *checkpoint.Checkpoint) ([]taken, error) {
	h := make([]taken, c.LastOffsets()+1)
	for i := range h {
		h[i] = taken{id: int64(i), rows: map[string][]row{}}
	}
	for n := c.Oldest(); n >= 0 && n <= c.LastOffsets(); n++ {
		var o struct {
			Now int64 `json:"triggerTimeUs"`
		}
		lines, err := c.Offsets(n)
		if err == nil {
			err = jsonLine(lines[0], &o)
		}
		if err != nil {
			return nil, err
		}
		h[n].now = o.Now
	}
	for _, name := range r.sources() {
		if r.static[name] {
			continue
		}
		take := r.takeFiles
		if r.memory {
			take = r.takeRows
		}
		if err := take(disk, c, name, h); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// takeFiles reads from the source log which file each batch took.
func (r *runner) takeFiles(_ vfs.FS, c *checkpoint.Checkpoint, name string, h []taken) error {
	log, err := c.Source(name, checkpoint.SourceOptions{})
	if err != nil {
		return err
	}
	times := map[string]int{}
	err = log.Entries(func(batch int64, line []byte) error {
		var e struct{ Path string }
		if err := jsonLine(line, &e); err != nil {
			return err
		}
		i := slices.IndexFunc(r.inputs[name], func(f file) bool { return "/in/"+name+"/"+f.name == e.Path })
		if i < 0 || batch >= int64(len(h)) {
			return fmt.Errorf("batch %d took %s", batch, e.Path)
		}
		times[e.Path]++
		h[batch].rows[name] = append(h[batch].rows[name], r.inputs[name][i].rows...)
		return nil
	})
	if err != nil {
		return err
	}
	for _, f := range r.inputs[name] {
		if n := times["/in/"+name+"/"+f.name]; n != 1 {
			return fmt.Errorf("file %s was taken %d times", f.name, n)
		}
	}
	return nil
}

// memoryEnd is how many rows of a memory source were taken up to a batch.
type memoryEnd struct {
	batch int64
	rows  int
}

// memoryEnds reads the positions of memory sources, by source, in the order of batches.
func memoryEnds(disk vfs.FS) (map[string][]memoryEnd, error) {
	out := map[string][]memoryEnd{}
	c, err := checkpoint.Open(disk, checkpointDir, checkpoint.Options{ReadOnly: true})
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	defer c.Close()
	for n := max(0, c.Oldest()); n <= c.LastOffsets(); n++ {
		var o struct {
			Sources map[string]struct{ Rows int }
		}
		lines, err := c.Offsets(n)
		if err == nil {
			err = jsonLine(lines[0], &o)
		}
		if err != nil {
			return nil, err
		}
		for name, s := range o.Sources {
			out[name] = append(out[name], memoryEnd{n, s.Rows})
		}
	}
	return out, nil
}

func (r *runner) takeRows(disk vfs.FS, _ *checkpoint.Checkpoint, name string, h []taken) error {
	ends, err := memoryEnds(disk)
	if err != nil {
		return err
	}
	var rows []row
	for _, f := range r.inputs[name] {
		rows = append(rows, f.rows...)
	}
	from := 0
	for _, e := range ends[name] {
		h[e.batch].rows[name] = rows[from:e.rows]
		from = e.rows
	}
	if from != len(rows) {
		return fmt.Errorf("%d of %d rows were taken", from, len(rows))
	}
	return nil
}

// checkLogs demands a whole checkpoint: a commit for each batch, ledgers that add up, a
// state log that ends with the last batch, nothing half written.
func (r *runner) checkLogs(disk vfs.FS, c *checkpoint.Checkpoint, h []taken, late map[int64]int64) error {
	for n := max(0, c.Oldest()); n <= c.LastOffsets(); n++ {
		if _, err := disk.Stat(fmt.Sprintf("%s/commits/%d", checkpointDir, n)); err != nil && n == r.noCommit {
			continue
		}
		var line struct {
			Rows struct{ Input, Contributed, Filtered, Late, Bad int64 }
		}
		lines, err := c.Commit(n)
		if err == nil {
			err = jsonLine(lines[0], &line)
		}
		if err != nil {
			return err
		}
		input := int64(0)
		for _, rows := range h[n].rows {
			input += int64(len(rows))
		}
		x := line.Rows
		if x.Input != input || x.Input != x.Contributed+x.Filtered+x.Late+x.Bad || late != nil && x.Late != late[n] {
			return fmt.Errorf("commit %d: ledger %+v, expected %d rows in, %d late", n, x, input, late[n])
		}
	}
	s, err := state.Open(disk, c.StateDir(), state.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer s.Close()
	if last, ok := s.Last(); !ok || last != c.LastOffsets() {
		return fmt.Errorf("the state log ends with batch %d, the offset log with %d", last, c.LastOffsets())
	}
	return noTemps(disk, "/ck")
}

// noTemps finds what an interrupted write has left.
func noTemps(disk vfs.FS, dir string) error {
	return walk(disk, dir, func(name string) error {
		if vfs.IsTemp(path.Base(name)) {
			return fmt.Errorf("%s is left over", name)
		}
		return nil
	})
}

func walk(disk vfs.FS, dir string, f func(name string) error) error {
	list, err := disk.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			err = walk(disk, name, f)
		} else {
			err = f(name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// output reads the rows of a sink, by batch.
func (r *runner) output(disk vfs.FS, dir string) (map[int64][]string, error) {
	if r.format == "" {
		return (&recorder{fs: disk, dir: dir}).batches()
	}
	out, listed, last, err := r.logged(disk, dir)
	if err != nil {
		return nil, err
	}
	return out, plain(disk, dir, listed, last)
}

// logged reads the rows of the files that the log of a sink lists.
func (r *runner) logged(disk vfs.FS, dir string) (out map[int64][]string, listed map[string]bool, last int64, err error) {
	files, last, err := sinklog.Open(disk, dir).Files()
	if err != nil {
		return nil, nil, last, err
	}
	out, listed = map[int64][]string{}, map[string]bool{}
	for _, f := range files {
		rows, err := r.read(disk, path.Join(dir, f.Name))
		if err != nil {
			return nil, nil, last, err
		}
		if int64(len(rows)) != f.Rows || listed[f.Name] || f.Log > last {
			return nil, nil, last, fmt.Errorf("the log lists %+v; it has %d rows", f, len(rows))
		}
		listed[f.Name] = true
		out[f.Batch] = append(out[f.Batch], rows...)
	}
	return out, listed, last, nil
}

// plain demands that readers of the plain directory see the files of the log, and that no
// staged file waits for anything: one of a published batch may come back in a power
// loss, and goes with the next batch.
func plain(disk vfs.FS, dir string, listed map[string]bool, last int64) error {
	return walk(disk, dir, func(name string) error {
		rel := strings.TrimPrefix(name, dir+"/")
		top, _, _ := strings.Cut(rel, "/")
		switch {
		case top == "_staging":
			batch, _, _ := strings.Cut(path.Base(name), "-")
			if n, err := strconv.ParseInt(batch, 10, 64); err != nil || n > last {
				return fmt.Errorf("%s is left over", name)
			}
			return nil
		case top == sinklog.Dir || listed[rel]:
			return nil
		}
		return fmt.Errorf("%s is not in the log", name)
	})
}

func (r *runner) read(disk vfs.FS, name string) ([]string, error) {
	if r.format == "parquet" {
		return readParquet(disk, name)
	}
	data, err := vfs.ReadFile(disk, name)
	if err != nil {
		return nil, err
	}
	var rows []string
	for line := range bytes.Lines(data) {
		cells, err := jsonCells(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		rows = append(rows, strings.Join(cells, "|"))
	}
	return rows, nil
}

// jsonCells are the values of an object in order; times are numbers of microseconds.
func jsonCells(line []byte) ([]string, error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var cells []string
	for n := 0; ; n++ {
		tok, err := dec.Token()
		if err != nil {
			return nil, err
		}
		if tok == json.Delim('}') {
			return cells, nil
		}
		if n == 0 || n%2 == 1 { // the brace, keys
			continue
		}
		text := fmt.Sprint(tok)
		if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
			text = strconv.FormatInt(t.UnixMicro(), 10)
		}
		cells = append(cells, text)
	}
}

// compare wants each batch to have given exactly its rows.
func compare(h []taken, got, want map[int64][]string) error {
	for n := range got {
		slices.Sort(got[n])
		if n >= int64(len(h)) {
			return fmt.Errorf("it has batch %d, of %d", n, len(h))
		}
	}
	for _, b := range h {
		if !slices.Equal(got[b.id], want[b.id]) {
			return fmt.Errorf("batch %d gave\n%s\nexpected\n%s", b.id, clip(got[b.id]), clip(want[b.id]))
		}
	}
	return nil
}

func clip(rows []string) string {
	var b strings.Builder
	for _, r := range rows {
		for {
			i := strings.Index(r, "kkkk")
			if i < 0 {
				break
			}
			r = r[:i] + strings.TrimLeft(r[i:], "k")
		}
		b.WriteString("  " + r[:min(len(r), 100)] + "\n")
	}
	return b.String()
}
