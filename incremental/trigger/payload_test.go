package trigger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/storage/fault"
)

func TestPayloadsSurviveTheLog(t *testing.T) {
	long := []byte(strings.Repeat("x", 1000))
	for _, payloads := range [][][]byte{{}, {nil}, {[]byte("a")}, {[]byte("a"), nil, long}, {nil, nil}} {
		data := joinPayloads(payloads)
		got, err := splitPayloads(data, len(payloads))
		if err != nil || !slices.EqualFunc(got, payloads, func(a, b []byte) bool { return string(a) == string(b) }) {
			t.Errorf("%q: got %q, %v", payloads, got, err)
		}
		if _, err := splitPayloads(data, len(payloads)+1); err == nil {
			t.Errorf("%q: one output more was accepted", payloads)
		}
		if len(payloads) > 0 {
			if _, err := splitPayloads(data, len(payloads)-1); err == nil {
				t.Errorf("%q: one output less was accepted", payloads)
			}
		}
	}
}

func FuzzSplitPayloads(f *testing.F) {
	f.Add(joinPayloads([][]byte{[]byte("a"), nil}), 2)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, 1)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		if n < 0 || n > 100 {
			return
		}
		payloads, err := splitPayloads(data, n)
		if err == nil && len(joinPayloads(payloads)) > len(data) {
			t.Fatalf("%x became longer", data)
		}
	})
}

type brokenSink struct{ err error }

func (brokenSink) Marker(context.Context) (sink.Marker, error) { return sink.Marker{}, nil }
func (brokenSink) Stage(_ context.Context, _ sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	return nil, fmt.Errorf("stage: %w", rows(func(*vec.Batch) error { return nil }))
}
func (b brokenSink) Publish(context.Context, sink.Batch, []byte) error { return b.err }
func (brokenSink) Discard(context.Context, sink.Batch) error           { return nil }
func (brokenSink) Description() string                                 { return "Broken[x]" }
func (brokenSink) Close() error                                        { return nil }

// A failure of the disk says what to do; that of a sink names the sink, once.
func TestSinkErrors(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "/out/x", Err: syscall.ENOSPC}
	for _, c := range []struct {
		err  error
		want string
	}{
		{full, "sink Broken[x]: write /out/x: no space left on device (batch 3); free some space on that file system, then start the query again: nothing is lost"},
		{errors.New("no"), "sink Broken[x]: no (batch 3)"},
		{errors.New(`sink "x": no`), `sink "x": no (batch 3)`},
	} {
		q := Query{Config: Config{Clock: clock.Real(), Outputs: []*Output{{Sink: brokenSink{c.err}}}}, batch: sink.Batch{ID: 3}}
		err := q.give(context.Background(), [][]byte{nil})
		if err == nil || err.Error() != c.want || !errors.Is(err, c.err) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	o := &Output{Sink: brokenSink{}}
	if err := o.wrap(full); !errors.Is(err, fault.ErrDiskFull) {
		t.Errorf("%v is not a full disk", err)
	}
}

// A failure of the rows is not one of the sinks that were taking them.
func TestStageBlamesWhoFailed(t *testing.T) {
	bad := errors.New(`source "s": in/a.json:1: not JSON`)
	q := Query{Config: Config{Outputs: []*Output{{Sink: brokenSink{}}, {Sink: brokenSink{}}}}, given: make([]int64, 2)}
	err := q.stage(context.Background(), 0, make([]func(*vec.Batch) error, 2), make([][]byte, 2), func() error { return bad })
	if err != bad {
		t.Errorf("got %v, want %v as it is", err, bad)
	}
}
