package process

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/staged"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// frame is one partition of one batch: what is acknowledged as one.
type frame struct {
	partition int
	version   int64
	rows      staged.Partition
}

// openHead is what all open lines have in common.
func (s *Sink) openHead() ([]byte, error) {
	type column struct {
		Name string `json:"name"`
		Type string `json:"type"`
	}
	cols := make([]column, len(s.cfg.Columns))
	for i, c := range s.cfg.Columns {
		cols[i] = column{c.Name, c.Type.String()}
	}
	text, err := json.Marshal(struct {
		Query   string   `json:"query"`
		QueryID string   `json:"query_id"`
		Mode    string   `json:"mode"`
		Columns []column `json:"columns"`
	}{s.cfg.Query, s.cfg.QueryID, s.cfg.Mode.String(), cols})
	if err != nil {
		return nil, err
	}
	return append([]byte{','}, text[1:]...), nil
}

// write sends the lines of a frame.
func (f frame) write(to io.Writer, s *Sink) error {
	w := bufio.NewWriterSize(to, 64<<10)
	name := `{"partition":` + strconv.Itoa(f.partition) + `,"version":` + strconv.FormatInt(f.version, 10)
	_, _ = w.WriteString(`{"open":` + name) // a bufio.Writer keeps its first error
	_, _ = w.Write(s.head)
	_, _ = w.WriteString("}\n")
	n := 0
	err := f.rows.Each(staged.Types(s.cfg.Columns), func(b *vec.Batch) error {
		weights := b.W
		b, err := f.lines(b, s.cfg.Mode)
		if err != nil {
			return err
		}
		return s.json.Each(b, func(row int, text []byte) error {
			n++
			_, _ = w.WriteString(`{"row":`)
			_, err := w.Write(text)
			if weights != nil && b.W != nil && b.W[row] != 1 {
				_, _ = w.WriteString(`,"weight":` + strconv.FormatInt(b.W[row], 10))
			}
			_, _ = w.WriteString("}\n")
			return err
		})
	})
	if err != nil {
		return err
	}
	_, _ = w.WriteString(`{"close":` + name + `,"rows":` + strconv.Itoa(n) + "}}\n")
	return w.Flush()
}

// lines are the rows as they are written: where weights only count equal rows, as often
// as each is there.
func (f frame) lines(b *vec.Batch, m sink.Mode) (*vec.Batch, error) {
	if m == sink.Append || m == sink.Complete {
		return staged.Copies(b)
	}
	return b, nil
}

// answer is a line of the child.
type answer struct {
	Ack *struct {
		Partition int   `json:"partition"`
		Version   int64 `json:"version"`
	} `json:"ack"`
	Retry *string `json:"retry"`
	Error *string `json:"error"`
}

// retryError is a failure after which the frame is sent again.
type retryError struct {
	err  error
	keep bool // the child is in order
}

func (e *retryError) Error() string { return e.err.Error() }
func (e *retryError) Unwrap() error { return e.err }

func asRetry(err error, to **retryError) bool { return errors.As(err, to) }

// judge says what an answer to a frame means; nil = acknowledged. A child that asks for
// the rows again before it was given all of them has to be replaced.
func (f frame) judge(line []byte, written bool) error {
	var a answer
	dec := json.NewDecoder(bytes.NewReader(line))
	if err := dec.Decode(&a); err != nil || a.Ack == nil && a.Retry == nil && a.Error == nil {
		return fmt.Errorf("the command wrote %q where an acknowledgement is expected: "+
			`{"ack":{"partition":%d,"version":%d}}; other output belongs on standard error`, clip(line), f.partition, f.version)
	}
	switch {
	case a.Error != nil:
		return fmt.Errorf("the command refused the rows: %s", *a.Error)
	case a.Retry != nil:
		return &retryError{fmt.Errorf("the command asked for the rows again: %s", *a.Retry), written}
	case a.Ack.Partition != f.partition || a.Ack.Version != f.version:
		return fmt.Errorf("the command acknowledged partition %d of version %d, expected partition %d of version %d",
			a.Ack.Partition, a.Ack.Version, f.partition, f.version)
	}
	return nil
}

func clip(line []byte) string {
	if len(line) > 120 {
		return string(line[:120]) + "…"
	}
	return string(line)
}
