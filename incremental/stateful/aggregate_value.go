package stateful

import (
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// results appends the aggregates of groups to out, one builder each.
func (a *aggregate) results(b *bucket, groups []uint32, out []*vec.Builder) error {
	for i, acc := range b.accs {
		if acc == nil {
			for _, g := range groups {
				out[i].AppendInt(b.rows[g])
			}
			continue
		}
		if err := a.values(acc, groups, out[i]); err != nil {
			return fmt.Errorf("%s: %w", a.cfg.Name, err)
		}
	}
	return nil
}

// values appends the value of one aggregate for groups. One that cannot be computed is
// an error or, where the query wants it so, NULL and a count: its accumulator has
// appended the groups before it and nothing more.
func (a *aggregate) values(acc fn.Accumulator, groups []uint32, out *vec.Builder) error {
	for {
		from := out.Len()
		err := acc.Result(groups, out)
		var bad *fn.DataError
		if err == nil || a.ctx == nil || !a.ctx.NullOnError || !errors.As(err, &bad) {
			return err
		}
		groups = groups[out.Len()-from+1:]
		out.AppendNull()
		a.ctx.Errors++
	}
}

// oldResults is results for rows that were given before: what could not be computed
// was counted then.
func (a *aggregate) oldResults(b *bucket, groups []uint32) error {
	if a.ctx != nil {
		defer func(n int64) { a.ctx.Errors = n }(a.ctx.Errors)
	}
	return a.results(b, groups, b.old)
}
