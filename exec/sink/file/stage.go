package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

const (
	stagingDir = "_staging"
	// stagedExt is no extension of data: a reader that looks into every directory
	// ("**/*.parquet") takes no staged file.
	stagedExt = ".staged"
	// maxOpen bounds the files written at the same time, one for each partition.
	maxOpen = 64
)

// payload is what Stage returns: which staged file becomes which published one.
type payload struct {
	Batch int64    `json:"batch"`
	Files []staged `json:"files"`
}

type staged struct {
	Staged string `json:"staged"` // both relative to the output directory, with slashes
	// Ticket is what an object store needs to reveal the file: see vfs.Stager.
	Ticket string `json:"ticket,omitempty"`
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	Rows   int64  `json:"rows"`
	// Of a merged file: the published ones that it stands for, and when the newest of them
	// was published, in ms.
	Replaces []string `json:"replaces,omitempty"`
	Newest   int64    `json:"newest,omitempty"`
}

// emptyPayload is the payload of a batch without files: always the same bytes, so that
// the marker of such a batch needs no place in the log.
func emptyPayload(batch int64) []byte {
	return []byte(`{"batch":` + strconv.FormatInt(batch, 10) + `,"files":[]}`)
}

// Stage implements sink.Sink.
func (s *Sink) Stage(ctx context.Context, b sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	st := &stage{s: s, b: b, open: map[string]*output{}}
	text, err := st.run(ctx, rows)
	if err != nil {
		st.abandon()
		return nil, s.wrap(err)
	}
	return text, nil
}

// staging is where the query's files wait, relative to the output directory.
func (s *Sink) staging() string { return path.Join(stagingDir, fileSafe(s.cfg.QueryID)) }

// fileSafe keeps a query id inside its directory.
func fileSafe(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, id)
}

func (s *Sink) abs(rel string) string { return filepath.Join(s.out, filepath.FromSlash(rel)) }

// stage is the writing of one batch.
type stage struct {
	s     *Sink
	b     sink.Batch
	open  map[string]*output // by partition key; "" without partitions
	order []*output          // the open ones, in the order of their last use
	files []staged
	key   []byte
}

func (st *stage) run(ctx context.Context, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	if err := st.s.prepare(); err != nil {
		return nil, err
	}
	if st.s.stager == nil || !st.s.forgot { // of a try that was never logged
		if err := st.s.removeStaged(st.b, func(n int64) bool { return n == st.b.ID }); err != nil {
			return nil, err
		}
		st.s.forgot = true
	}
	err := rows(func(b *vec.Batch) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return st.write(b)
	})
	if err == nil {
		err = st.merge(ctx)
	}
	if err == nil {
		err = st.finish()
	}
	if err != nil {
		return nil, err
	}
	if len(st.files) == 0 {
		return emptyPayload(st.b.ID), nil
	}
	return json.Marshal(payload{Batch: st.b.ID, Files: st.files})
}

// prepare makes the directories; that of the log before any data file is visible, so
// that a source on the output reads the log from the start.
func (s *Sink) prepare() error {
	for _, dir := range []string{s.log.Path(), s.abs(s.staging())} {
		if err := s.dirs.Make(dir); err != nil {
			return fmt.Errorf("directory %s: %w", s.path, err)
		}
	}
	return nil
}

// write sorts the rows of a batch to their files.
func (st *stage) write(b *vec.Batch) error {
	b, err := copies(b)
	if err != nil || b.Rows() == 0 {
		return err
	}
	if len(st.s.parts) == 0 {
		return st.writeTo("", b, b.Row(0), b.Sel)
	}
	parts := make([]*vec.Vector, len(st.s.parts))
	for i, c := range st.s.parts {
		parts[i] = b.Cols[c]
	}
	picks, first := map[string][]int32{}, []string{}
	b.Each(func(row int) {
		st.key = vec.AppendRowKey(st.key[:0], parts, row)
		pick, ok := picks[string(st.key)]
		if !ok {
			first = append(first, string(st.key))
		}
		picks[string(st.key)] = append(pick, int32(row))
	})
	for _, key := range first {
		if err := st.writeTo(key, b, int(picks[key][0]), picks[key]); err != nil {
			return err
		}
	}
	return nil
}

// copies turns weights into rows: a weight of 2 is the row twice. A row that is taken
// back cannot be written.
func copies(b *vec.Batch) (*vec.Batch, error) {
	if b.W == nil {
		return b, nil
	}
	var rows []int32
	var err error
	b.Each(func(r int) {
		if b.W[r] < 0 {
			err = errors.New("a row was taken back, which files cannot do; the query is not append-only")
		}
		for range b.W[r] {
			rows = append(rows, int32(r))
		}
	})
	if err != nil {
		return nil, err
	}
	out := b.Gather(rows)
	out.W = nil
	return out, nil
}

// writeTo writes rows of b, all of one partition, rolling to further files.
func (st *stage) writeTo(key string, b *vec.Batch, first int, sel []int32) error {
	data := &vec.Batch{N: b.N, Cols: make([]*vec.Vector, len(st.s.data))}
	for i, c := range st.s.data {
		data.Cols[i] = b.Cols[c]
	}
	total := b.N
	if sel != nil {
		total = len(sel)
	}
	for done := 0; done < total; {
		o, err := st.output(key, func() string { return st.s.directoryOf(b, first) })
		if err != nil {
			return err
		}
		n := total - done
		if st.s.maxRows > 0 {
			n = int(min(int64(n), st.s.maxRows-o.file.Rows))
		}
		data.Sel = rowsOf(sel, done, done+n, b.N)
		if err := st.add(o, data, n); err != nil {
			return err
		}
		done += n
	}
	return nil
}

// rowsOf is part of a selection; sel nil = all rows.
func rowsOf(sel []int32, from, to, n int) []int32 {
	if sel != nil {
		return sel[from:to]
	}
	if from == 0 && to == n {
		return nil
	}
	out := make([]int32, 0, to-from)
	for r := from; r < to; r++ {
		out = append(out, int32(r))
	}
	return out
}

// finish closes all files and makes their names durable. The first batch of a log has
// a file even without rows: a log without any has no schema for Spark.
func (st *stage) finish() error {
	if len(st.files) == 0 {
		ix, err := st.s.log.Index()
		if err != nil {
			return err
		}
		if ix.Last >= 0 {
			return nil
		}
		if _, err := st.create("", st.s.nullDirectory()); err != nil {
			return err
		}
	}
	for len(st.order) > 0 {
		if err := st.close(st.order[0]); err != nil {
			return err
		}
	}
	return vfs.SyncDir(st.s.cfg.FS, st.s.abs(st.s.staging()))
}

// nullDirectory is the partition directory of a file without rows.
func (s *Sink) nullDirectory() string {
	var out strings.Builder
	for _, c := range s.parts {
		out.WriteString(escape(s.cfg.Columns[c].Name) + "=" + hiveNull + "/")
	}
	return out.String()
}

// abandon gives back what a failed Stage took, as far as that still works: a full disk
// must not be left fuller.
func (st *stage) abandon() {
	for _, o := range st.order {
		_ = o.f.Close()
	}
	_ = st.s.removeStaged(st.b, func(n int64) bool { return n == st.b.ID })
}

// Discard implements sink.Sink. Earlier batches are logged, and perhaps not published
// yet.
func (s *Sink) Discard(_ context.Context, b sink.Batch) error {
	// On a store, what a dead process began may appear later than its batch was published by
	// another one. Only the batch before b can be waiting for that.
	return s.wrap(s.removeStaged(b, func(n int64) bool { return n >= b.ID || s.stager != nil && n < b.ID-1 }))
}

// removeStaged removes the staged files of the batches that match. Nothing depends on
// when that becomes durable. On a store, where no lock holds, those of a newer run stay.
func (s *Sink) removeStaged(b sink.Batch, match func(batch int64) bool) error {
	if s.stager != nil {
		return s.stager.Forget(s.out, func(name string) bool {
			n, epoch, ok := s.batchOf(filepath.Base(name))
			return ok && match(n) && (epoch <= b.Epoch || mutant.On("a replaced sink removes what its successor staged"))
		})
	}
	dir := s.abs(s.staging())
	entries, err := s.cfg.FS.ReadDir(dir)
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		batch, _, _ := strings.Cut(e.Name(), "-")
		if n, err := strconv.ParseInt(batch, 10, 64); err != nil || !match(n) {
			continue
		}
		if err := s.cfg.FS.Remove(filepath.Join(dir, e.Name())); err != nil && !isMissing(err) {
			return err
		}
	}
	return nil
}
