package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
)

// sampleRecords is how many of the last records of each partition columns are inferred from.
const sampleRecords = 1000

// infer finds the columns of the values that are there.
func infer(ctx context.Context, hs *hubs, formats []*format.Format, c source.Config) ([]types.Column, error) {
	s, err := newReader(ctx, hs, formats, c)
	if err != nil {
		return nil, err
	}
	cols, err := s.infer(ctx)
	return cols, errors.Join(s.wrap(err), s.Close())
}

func (s *Reader) infer(ctx context.Context) ([]types.Column, error) {
	f := s.opt.value
	if s.opt.key != nil {
		return nil, errors.New("columns that are partly in the key cannot be inferred; declare them")
	}
	if cols, err := s.inferSchema(ctx, f); err != nil || cols != nil {
		return cols, err
	}
	if f.Infer == nil {
		return nil, fmt.Errorf("the columns of %s values cannot be inferred; declare them", f.Name)
	}
	text, err := s.sample(ctx)
	if err != nil {
		return nil, err
	}
	topic := s.parts[0].topic
	cols, err := f.Infer(ctx, format.File{Name: s.Description(), R: bytes.NewReader(text), Size: int64(len(text))},
		format.Config{Options: s.opt.valueOpts, Zone: s.cfg.Zone, Subject: topic + "-value", Messages: true})
	if err == nil && len(cols) == 0 {
		err = fmt.Errorf("topic %s has no records from which the columns could be inferred; declare them", topic)
	}
	return cols, err
}

// inferSchema finds the columns of the schema that the options name; nil = they name none.
func (s *Reader) inferSchema(ctx context.Context, f *format.Format) ([]types.Column, error) {
	if f.InferMessages == nil {
		return nil, nil
	}
	if err := s.discover(ctx, true); err != nil {
		return nil, err
	}
	if len(s.parts) == 0 {
		return nil, fmt.Errorf("there is no topic %s", s.Description())
	}
	return f.InferMessages(ctx, format.Config{Options: s.opt.valueOpts, Zone: s.cfg.Zone, Subject: s.parts[0].topic + "-value", Messages: true})
}

// sample gives the values of the last records as lines.
func (s *Reader) sample(ctx context.Context) ([]byte, error) {
	if err := s.discover(ctx, true); err != nil {
		return nil, err
	}
	if len(s.parts) == 0 {
		return nil, fmt.Errorf("there is no topic %s", s.Description())
	}
	starts, err := s.hub.list(ctx, s.parts, atStart, false)
	if err != nil {
		return nil, err
	}
	ends, err := s.hub.ends(ctx, s.parts, s.opt.fetching.committed)
	if err != nil {
		return nil, err
	}
	var out []byte
	for _, p := range s.parts {
		from := max(starts[p], ends[p]-sampleRecords)
		if from >= ends[p] {
			continue
		}
		b, err := s.hub.block(ctx, stretch{p, s.ids[p.topic], s.opt.fetching.committed}, from, s.opt.fetching)
		if err != nil {
			return nil, err
		}
		out = appendValues(out, b)
	}
	return out, nil
}

func appendValues(dst []byte, b *block) []byte {
	for _, s := range b.segments {
		for in := s.records; len(in) > 0; {
			r, size, ok := readRecord(in)
			if !ok {
				break
			}
			in = in[size:]
			if len(r.value) > 0 {
				dst = append(append(dst, bytes.ReplaceAll(r.value, []byte("\n"), []byte(" "))...), '\n')
			}
		}
	}
	return dst
}
