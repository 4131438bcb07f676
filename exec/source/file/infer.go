package file

import (
	"context"
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/change"
	"github.com/sqlstream/sqlstream/exec/format/guess"
	"github.com/sqlstream/sqlstream/exec/format/scan"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
)

// inferFrom is how many files are looked into, oldest first.
const inferFrom = 10

// infer finds the columns of the first files, then those of the partition keys.
func infer(ctx context.Context, formats []*format.Format, c source.Config) ([]types.Column, error) {
	s, err := locatedSource(formats, c)
	if err != nil {
		return nil, err
	}
	cols, err := s.infer(ctx)
	return cols, s.wrap(err)
}

func (s *Source) infer(ctx context.Context) ([]types.Column, error) {
	files, err := s.fresh(ctx, true)
	if err != nil {
		return nil, err
	}
	keys := inferKeys(files)
	if s.set.format.Infer == nil {
		if s.set.format.Columns == nil {
			return nil, fmt.Errorf("the columns of %s files cannot be inferred; declare them", s.set.format.Name)
		}
		return append(slices.Clone(s.set.format.Columns), keys...), nil
	}
	cols, err := s.inferData(ctx, files)
	if err != nil {
		return nil, err
	}
	if s.cfg.Changes && s.set.format.Changes == format.ByColumn {
		op := change.Column(format.Config{Options: s.set.decoded})
		cols = slices.DeleteFunc(cols, func(c types.Column) bool { return c.Name == op })
	}
	if cols == nil {
		return nil, fmt.Errorf("%s has no file with rows from which the columns could be inferred; declare them", s.set.path)
	}
	cols = slices.DeleteFunc(cols, func(c types.Column) bool {
		return slices.ContainsFunc(keys, func(k types.Column) bool { return k.Name == c.Name })
	})
	return append(cols, keys...), nil
}

func (s *Source) inferData(ctx context.Context, files []found) ([]types.Column, error) {
	var all [][]types.Column
	for _, f := range files {
		if f.size == 0 || len(all) == inferFrom {
			continue
		}
		cols, err := s.inferFile(ctx, f)
		if err != nil {
			return nil, err
		}
		all = append(all, cols)
	}
	return guess.Merge(all...), nil
}

func (s *Source) inferFile(ctx context.Context, f found) ([]types.Column, error) {
	file, err := s.cfg.FS.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return s.set.format.Infer(ctx, format.File{Name: s.show(f.path), R: file, Size: f.size},
		format.Config{Options: s.set.decoded, Zone: s.cfg.Zone})
}

// inferKeys gives each partition key the type that holds all its values: BIGINT, DATE,
// else STRING. (Spark guesses more kinds; a wrong guess there changes values.)
func inferKeys(files []found) []types.Column {
	var cols []types.Column
	for _, f := range files {
		for _, kv := range pairs(f.rel) {
			i := slices.IndexFunc(cols, func(c types.Column) bool { return c.Name == kv.key })
			if i < 0 {
				i = len(cols)
				cols = append(cols, types.Column{Name: kv.key})
			}
			cols[i].Type = widen(cols[i].Type, kv.text)
		}
	}
	for i := range cols {
		if cols[i].Type.Kind == types.Null {
			cols[i].Type = types.Of(types.String)
		}
	}
	return cols
}

func widen(t types.Type, text string) types.Type {
	if text == hiveNull {
		return t
	}
	for _, kind := range []types.Kind{types.Int64, types.Date} {
		if t.Kind != types.Null && t.Kind != kind {
			continue
		}
		if _, ok := scan.Value(text, types.Of(kind), nil); ok && !padded(text, kind) {
			return types.Of(kind)
		}
	}
	return types.Of(types.String)
}

// padded numbers ("007") are codes: as BIGINT they would lose their zeros. Two digits
// are taken for a month or an hour.
func padded(text string, kind types.Kind) bool {
	return kind == types.Int64 && len(text) > 2 && text[0] == '0'
}
