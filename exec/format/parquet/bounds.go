package parquet

import (
	"context"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

var _ format.Bounded = (*reader)(nil)

// Bounds implements format.Bounded from the statistics of the footer, if the writer
// left them.
func (r *reader) Bounds(_ context.Context, f format.File, s format.Section, col int) (b format.Bounds, ok bool, err error) {
	file, err := r.open(f)
	if err != nil {
		return b, false, err
	}
	c := r.config.Columns[col]
	leaf, err := r.column(file.Root(), c.Name)
	if err != nil || leaf == nil || !leaf.Leaf() || leaf.MaxRepetitionLevel() > 0 {
		return b, false, nil
	}
	stored, err := typeOf(leaf.Type())
	if err != nil || !ordered(stored) || c.Type.Phys() != types.PhysInt64 {
		return b, false, nil
	}
	conv, ok := stored.convert(c.Type)
	if !ok {
		return b, false, nil
	}
	for g := s.Off; g < s.End; g++ {
		one, ok := groupBounds(file, int(g), leaf.Index(), conv)
		if !ok {
			return b, false, nil
		}
		if g == s.Off {
			b = one
			continue
		}
		b = format.Bounds{Min: min(b.Min, one.Min), Max: max(b.Max, one.Max), Nulls: b.Nulls + one.Nulls}
	}
	return b, s.Off < s.End, nil
}

// ordered reports types whose statistics are in the order of the values.
func ordered(s stored) bool {
	return (s.kind == parquet.Int32 || s.kind == parquet.Int64) && !s.unsigned
}

func groupBounds(file *parquet.File, group, column int, conv conversion) (b format.Bounds, ok bool) {
	groups := file.Metadata().RowGroups
	if group >= len(groups) || column >= len(groups[group].Columns) {
		return b, false
	}
	st := groups[group].Columns[column].MetaData.Statistics
	if len(st.MinValue) != conv.width || len(st.MaxValue) != conv.width {
		return b, false
	}
	var v vec.Vector
	var s scratch
	both := slices.Concat(st.MinValue, st.MaxValue)
	if conv.run(both, nil, 0, 2, &s, &v) != nil || len(v.I64) != 2 {
		return b, false
	}
	return format.Bounds{Min: v.I64[0], Max: v.I64[1], Nulls: st.NullCount}, true
}
