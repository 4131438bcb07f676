package scalar

import (
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// resolveTruncRows is date_trunc whose unit is a column, or with a zone of its own.
func resolveTruncRows(args []fn.Arg) (fn.Impl, error) {
	if args[1].Type.Kind == types.Interval && len(args) == 2 {
		return fn.Impl{Args: []types.Type{text, interval}, Result: interval, Eval: truncIntervals}, nil
	}
	t, err := timeArg(args, 1)
	if t.Kind == types.Date || len(args) == 3 {
		t = timestamp
	}
	want := []types.Type{text, t, text}[:len(args)]
	if err == nil {
		err = matches(args, want)
	}
	return fn.Impl{Args: want, Result: t, Eval: truncRows(t)}, err
}

// units remembers the unit that was read last.
type units struct {
	name  string
	unit  timeUnit
	known bool
}

func (u *units) at(v *vec.Vector, r int) (timeUnit, bool) {
	if s := v.Text(r); u.name == "" || s != u.name {
		u.name = strings.Clone(s)
		u.unit, u.known = findUnit(u.name)
	}
	return u.unit, u.known
}

func truncRows(t types.Type) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		var u units
		var named zones
		session := zoneFor(t, c.Zone)
		err := try(rows, func(r int) error {
			unit, ok := u.at(args[0], r)
			if !ok {
				out.SetNull(r)
				return nil
			}
			zone := session
			if len(args) == 3 {
				var err error
				if zone, err = named.at(args[2], r); err != nil {
					return c.Fail(out, r, "date_trunc", fn.Quote(args[2].Text(r)), err.Error())
				}
			}
			out.I64[r] = unit.cutIn(args[1].Int(r), zone)
			return nil
		})
		return out, err
	}
}

// cutIn is the start of the unit in which an instant lies in a zone: of a repeated hour, the one
// that it lies in.
func (u timeUnit) cutIn(x int64, zone *time.Location) int64 {
	local := types.ToLocal(x, zone)
	start := u.cut(local)
	at := x - (local - start)
	if !u.short() || types.ToLocal(at, zone) != start {
		at = types.FromLocal(start, zone)
	}
	return at
}

func truncIntervals(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := c.New(interval, rows.N)
	var u units
	m := mask(args[1])
	err := try(rows, func(r int) error {
		unit, ok := u.at(args[0], r)
		if !ok || unit.iso {
			return c.Fail(out, r, "date_trunc", fn.Quote(args[0].Text(r)), "no unit of an INTERVAL")
		}
		out.Iv[r], _ = truncInterval(unit)(args[1].Iv[r&m]) // it only grows smaller
		return nil
	})
	return out, err
}
