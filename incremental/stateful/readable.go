package stateful

import (
	"errors"

	"github.com/sqlstream/sqlstream/exec/fn"
)

// Readable is an Operator that can show what it keeps: the rows of its output as they
// stand, those included that it has not emitted yet.
type Readable interface {
	Operator
	// Rows emits them. It must not run at the same time as another call.
	Rows(c *fn.Ctx, out Emit) error
}

// ErrPanes is the answer of an aggregate that keeps parts of windows, not windows.
var ErrPanes = errors.New("it keeps panes, of which several windows are made; its windows are in what it emits")

// Rows implements Readable.
func (a *aggregate) Rows(c *fn.Ctx, out Emit) error {
	if a.cfg.Panes != nil {
		return ErrPanes
	}
	if err := a.load.finish(); err != nil {
		return err
	}
	a.ctx = c
	for _, at := range sortedSlots(a.state.all) {
		b := a.state.all[at]
		if err := a.emitGroups(b, b.live(), out); err != nil {
			return err
		}
	}
	return nil
}

// Rows implements Readable: a row of weight w comes w times.
func (m *Materialize) Rows(_ *fn.Ctx, out Emit) error { return m.Snapshot(out) }
