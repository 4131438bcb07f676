// Package stdin is the source that reads the program's standard input, to its end. The
// input is read once in the life of the program: a query that is started again goes on
// with the next line. Open this file first, then input.go; exec/source/inbox holds the
// rows.
package stdin

import (
	"context"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/source/inbox"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Connector describes the source over an input. instance tells runs of the program
// apart.
func Connector(formats []*format.Format, in *Input, instance string) source.Connector {
	return source.Connector{
		Name: "stdin",
		Doc: "Reads the standard input of the program to its end: a row a line. One query at a time can read it. With a checkpoint, " +
			"rows of a micro-batch are in its log and count exactly once; what was read ahead is lost when the program dies.",
		Options:    options(),
		Replayable: true,
		Metadata:   inbox.Metadata(),
		Infer: func(ctx context.Context, c source.Config) ([]types.Column, error) {
			return infer(ctx, formats, in, c)
		},
		Open: func(_ context.Context, c source.Config) (source.Source, error) {
			return open(formats, in, instance, c)
		},
	}
}

func options() []option.Spec {
	return []option.Spec{
		inbox.FormatSpec("text"),
		inbox.LineSpec(),
		inbox.BufferSpec("nothing more is read, so that the writer waits"),
	}
}

func open(formats []*format.Format, in *Input, instance string, c source.Config) (source.Source, error) {
	f, d, err := inbox.Decode(formats, options(), "text", c)
	if err != nil {
		return nil, err
	}
	if err := inbox.ByLine(f, d); err != nil {
		return nil, err
	}
	box, err := in.lend(c.Name, d.Size("buffer_bytes"), &inbox.Lines{From: "stdin", Longest: int(d.Size("max_line_bytes")),
		Header: inbox.HasHeader(f, d), Now: func() int64 { return c.Clock.Now().UnixMicro() }})
	if err != nil {
		return nil, err
	}
	s, err := inbox.New(c, box, inbox.Settings{Description: "StdinSource", Instance: instance, Format: f, Decoded: d, Loses: true, Shared: true,
		Close: func() error { in.release(); return nil }})
	if err != nil {
		in.release()
	}
	return s, err
}

// infer finds the columns in what has come so far.
func infer(ctx context.Context, formats []*format.Format, in *Input, c source.Config) ([]types.Column, error) {
	f, d, err := inbox.Decode(formats, options(), "text", c)
	if err != nil {
		return nil, err
	}
	if f.Infer == nil {
		return nil, fmt.Errorf("the columns of %s on standard input cannot be found: declare them", f.Name)
	}
	begin, err := in.Peek(ctx)
	if err != nil {
		return nil, err
	}
	return f.Infer(ctx, file(begin), format.Config{Options: d, Zone: c.Zone, OnError: format.OnError(c.OnError)})
}
