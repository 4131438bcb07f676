package stateful

import (
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// results appends the aggregates of groups to out, one builder each.
func (a *aggregate) results(b *bucket, groups []uint32, out []*vec.Builder) error {
	return a.resultsIn(a.ctx, b, groups, out)
}

// resultsIn is results of a worker.
func (a *aggregate) resultsIn(ctx *fn.Ctx, b *bucket, groups []uint32, out []*vec.Builder) error {
	for i := range b.accs {
		if err := a.resultIn(ctx, b, i, groups, out[i]); err != nil {
			return err
		}
	}
	return nil
}

// resultIn appends one aggregate of groups.
func (a *aggregate) resultIn(ctx *fn.Ctx, b *bucket, i int, groups []uint32, out *vec.Builder) error {
	acc := b.accs[i]
	if acc == nil {
		for _, g := range groups {
			out.AppendInt(b.rows[g])
		}
		return nil
	}
	if err := values(ctx, acc, groups, out); err != nil {
		return fmt.Errorf("%s: %w", a.cfg.Name, a.cfg.Aggs[i].blame(err))
	}
	return nil
}

// blame names the aggregate in an error of its value.
func (s *AggregateSpec) blame(err error) error {
	var bad *fn.DataError
	if !errors.As(err, &bad) || bad.In != "" {
		return err
	}
	named := *bad
	named.In = s.Text
	return &named
}

// values appends the value of one aggregate for groups. One that cannot be computed is
// an error or, where the query wants it so, NULL and a count: its accumulator has
// appended the groups before it and nothing more.
func values(ctx *fn.Ctx, acc fn.Accumulator, groups []uint32, out *vec.Builder) error {
	for {
		from := out.Len()
		err := acc.Result(groups, out)
		var bad *fn.DataError
		if err == nil || ctx == nil || !ctx.NullOnError || !errors.As(err, &bad) {
			return err
		}
		groups = groups[out.Len()-from+1:]
		out.AppendNull()
		ctx.Errors++
	}
}

// oldResults is results for rows that were given before: what could not be computed
// was counted then.
func (a *aggregate) oldResults(b *bucket, groups []uint32) error {
	defer forgetErrors(a.ctx)()
	return a.results(b, groups, b.old)
}

// forgetErrors returns what takes back the errors counted in between.
func forgetErrors(ctx *fn.Ctx) func() {
	if ctx == nil {
		return func() {}
	}
	n := ctx.Errors
	return func() { ctx.Errors = n }
}
