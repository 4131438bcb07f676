package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// recording is a sink for every mode that forgives nothing: a batch that is published
// twice must be the same to the byte, batches must follow each other, and a run with an
// older epoch is refused. Each batch is a file with its rows and weights.
func recording() sink.Connector {
	every := map[sink.Mode]string{}
	for _, m := range []sink.Mode{sink.Append, sink.Update, sink.Complete, sink.Changelog} {
		every[m] = "Records the rows with their weights."
	}
	return sink.Connector{Name: "recording", Doc: "Records batches, for tests.", Modes: every, Deletes: true, Guarantee: sink.ExactlyOnce,
		Options: []option.Spec{{Name: "path", Type: option.Text, Required: true, Doc: "The directory."}},
		Open: func(_ context.Context, c sink.Config) (sink.Sink, error) {
			path, _ := option.Find(c.Options, "path")
			return &recorder{fs: c.FS, dir: path.Text}, vfs.MkdirAllSync(c.FS, path.Text)
		}}
}

type recorder struct {
	fs  vfs.FS
	dir string
}

// recorded is the file of a batch.
type recorded struct {
	Epoch   int64    `json:"epoch"`
	Payload []byte   `json:"payload"`
	Rows    []string `json:"rows"`
}

func (r *recorder) path(batch int64) string { return fmt.Sprintf("%s/%d", r.dir, batch) }

// last is the newest batch, −1 without any.
func (r *recorder) last() (int64, recorded, error) {
	list, err := r.fs.ReadDir(r.dir)
	if err != nil {
		return -1, recorded{}, err
	}
	last := int64(-1)
	for _, e := range list {
		if n, err := strconv.ParseInt(e.Name(), 10, 64); err == nil {
			last = max(last, n)
		}
	}
	if last < 0 {
		return last, recorded{}, nil
	}
	b, err := r.read(last)
	return last, b, err
}

func (r *recorder) read(batch int64) (recorded, error) {
	var b recorded
	data, err := vfs.ReadFile(r.fs, r.path(batch))
	if err != nil {
		return b, err
	}
	return b, json.Unmarshal(data, &b)
}

// Marker implements sink.Sink.
func (r *recorder) Marker(context.Context) (sink.Marker, error) {
	// What the process before this one left may not be durable.
	if err := vfs.SyncDir(r.fs, r.dir); err != nil {
		return sink.Marker{}, err
	}
	last, b, err := r.last()
	return sink.Marker{OK: last >= 0, ID: last, Digest: sink.Digest(b.Payload)}, err
}

// Stage implements sink.Sink.
func (r *recorder) Stage(_ context.Context, _ sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	lines := []string{}
	err := rows(func(b *vec.Batch) error {
		for i := range b.Rows() {
			at := i
			if b.Sel != nil {
				at = int(b.Sel[i])
			}
			lines = append(lines, fmt.Sprintf("%s|%+d", rowText(b, at), b.Weight(at)))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(lines)
	return json.Marshal(lines)
}

// rowText joins the cells of a row; times are numbers of microseconds.
func rowText(b *vec.Batch, row int) string {
	cells := make([]string, len(b.Cols))
	for i, c := range b.Cols {
		if c.Type.Kind == types.Timestamp && !c.IsNull(row) {
			cells[i] = strconv.FormatInt(c.Int(row), 10)
		} else {
			cells[i] = vec.RowString(c, row, time.UTC)
		}
	}
	return strings.Join(cells, "|")
}

// Publish implements sink.Sink.
func (r *recorder) Publish(_ context.Context, b sink.Batch, payload []byte) error {
	last, have, err := r.last()
	if err != nil {
		return err
	}
	switch {
	case last >= 0 && have.Epoch > b.Epoch:
		return fmt.Errorf("epoch %d publishes batch %d after epoch %d", b.Epoch, b.ID, have.Epoch)
	case b.ID == last && bytes.Equal(have.Payload, payload):
		return nil
	case b.ID != last+1:
		return fmt.Errorf("batch %d is published with another content, or after batch %d", b.ID, last)
	}
	rec := recorded{Epoch: b.Epoch, Payload: payload}
	if err := json.Unmarshal(payload, &rec.Rows); err != nil {
		return err
	}
	data, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	return vfs.WriteFileAtomic(r.fs, r.path(b.ID), data, true)
}

// Discard implements sink.Sink.
func (r *recorder) Discard(context.Context, sink.Batch) error { return nil }

// Description implements sink.Sink.
func (r *recorder) Description() string { return "Recording[" + r.dir + "]" }

// Close implements sink.Sink.
func (r *recorder) Close() error { return nil }

// batches are the recorded rows by batch.
func (r *recorder) batches() (map[int64][]string, error) {
	out := map[int64][]string{}
	for n := int64(0); ; n++ {
		b, err := r.read(n)
		if errors.Is(err, fs.ErrNotExist) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out[n] = b.Rows
	}
}
