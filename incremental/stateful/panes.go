package stateful

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// PaneConfig says that groups of panes are combined to sliding windows: the window
// that starts at s is made of the panes that start in [s, s+Size). Starts of windows
// are Offset plus multiples of Slide; Size and Slide are multiples of Pane. All in
// the unit of the bound key.
//
// A window is final when its start is below the frontier; a pane is kept while some
// window that is not final contains it. A row is late when all windows of its pane
// are final, and partial when some are. Changes of a pane are emitted, or not, for
// each window that contains it and is open; its groups are looked up in the panes of
// the window and combined, before and after the change.
type PaneConfig struct {
	Size, Slide, Offset, Pane int64
}

// lastStart is the greatest start of a window that is not after x. The pane of infinity is a
// window by itself.
func (p *PaneConfig) lastStart(x int64) int64 {
	if types.Timestamp.Infinite(x) != 0 {
		return x
	}
	return floorTo(x-p.Offset, p.Slide) + p.Offset
}

// firstStart is the least start of a window that contains the pane x.
func (p *PaneConfig) firstStart(x int64) int64 {
	if types.Timestamp.Infinite(x) != 0 {
		return x
	}
	return p.lastStart(x-p.Size) + p.Slide
}

// windows is the number of window starts in [from, to].
func (p *PaneConfig) windows(from, to int64) int64 {
	if to < from {
		return 0
	}
	return (to-from)/p.Slide + 1
}

// openFrom is the first window of the pane x that is not final.
func (a *aggregate) openFrom(x int64) int64 {
	p := a.cfg.Panes
	first := p.firstStart(x)
	if a.cfg.Keep || a.bound == NoFrontier || first >= a.bound {
		return first
	}
	return p.lastStart(a.bound-1) + p.Slide
}

func (a *aggregate) panePromptness(x int64) promptness {
	p := a.cfg.Panes
	first, last := p.firstStart(x), p.lastStart(x)
	switch {
	case last < first:
		return nowhere
	case a.cfg.Keep || first >= a.bound:
		return all
	case last < a.bound && !mutant.On("panes are never late"):
		return none
	}
	return some
}

// missed is the number of final windows of the pane x.
func (a *aggregate) missed(x int64) int64 {
	return a.cfg.Panes.windows(a.cfg.Panes.firstStart(x), a.openFrom(x)-a.cfg.Panes.Slide)
}

// refusals is what a late row adds to the count of refused rows.
func (a *aggregate) refusals(x int64) int64 {
	if p := a.cfg.Panes; p != nil {
		return p.windows(p.firstStart(x), p.lastStart(x))
	}
	return 1
}

// flushPanes merges the locals' panes, and emits the changes of the open windows that
// contain them.
func (a *aggregate) flushPanes(locals []*aggLocal, out Emit) error {
	panes := a.gather(locals)
	if a.cfg.EmitOnClose {
		return a.mergePanes(panes, locals)
	}
	wins, err := a.touchedWindows(panes, locals)
	if err != nil {
		return err
	}
	for _, w := range wins {
		if err := a.combine(w.keys, w.keys.numbers(), w.start, false); err != nil {
			return err
		}
		if err := a.rememberWindow(w.keys); err != nil {
			return err
		}
	}
	if err := a.mergePanes(panes, locals); err != nil {
		return err
	}
	for _, w := range wins {
		w.keys.clearGroups()
		if err := a.combine(w.keys, w.keys.numbers(), w.start, false); err != nil {
			return err
		}
		kept := a.stats
		if err := a.emitChanges([]*bucket{w.keys}, out); err != nil {
			return err
		}
		a.stats = kept // entries of the state are panes
	}
	return nil
}

func (a *aggregate) mergePanes(panes []slot, locals []*aggLocal) error {
	updated := 0
	for _, at := range panes {
		b, err := a.mergeBucket(at, locals)
		if err != nil {
			return err
		}
		updated += b.settle(false)
	}
	a.stats.Updated = int64(updated)
	return nil
}

// paneWindow is an open window with the groups that the trigger touches in it.
type paneWindow struct {
	start int64
	keys  *bucket // their numbers; its accumulators take the combination
}

// touchedWindows lists the open windows of panes, ascending, with the keys that the
// locals have in them.
func (a *aggregate) touchedWindows(panes []slot, locals []*aggLocal) ([]paneWindow, error) {
	at := map[int64]int{}
	var wins []paneWindow
	p := a.cfg.Panes
	for _, pane := range panes {
		for s := a.openFrom(pane.at); s <= p.lastStart(pane.at); s += p.Slide {
			i, ok := at[s]
			if !ok {
				i = len(wins)
				at[s] = i
				wins = append(wins, paneWindow{s, newBucket(a, slot{at: s}, a.proto)})
			}
			for _, l := range locals {
				if src := l.buckets.all[pane]; src != nil {
					a.addKeys(wins[i].keys, src)
				}
			}
		}
	}
	return wins, nil
}

// addKeys gives each group of src a number in b.
func (a *aggregate) addKeys(b, src *bucket) {
	for from := 0; from < src.used(); from += vec.BatchSize {
		groups, into := a.tmp.run(from, min(src.used()-from, vec.BatchSize))
		b.lookup(src, groups, into)
	}
}

// combine adds to the groups of b what the panes of a window have of them; with grow, it
// makes the groups that the panes have.
func (a *aggregate) combine(b *bucket, groups []uint32, start int64, grow bool) error {
	p := a.cfg.Panes
	for x := start; x < start+p.Size; x += p.Pane {
		if mutant.On("panes combine one too few") && x+p.Pane == start+p.Size {
			continue
		}
		src := a.state.find(slot{at: x})
		if src == nil {
			continue
		}
		var err error
		if grow {
			err = a.mergeAll(b, src)
		} else {
			err = a.mergeKnown(b, groups, src)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", a.cfg.Name, err)
		}
	}
	return nil
}

// mergeAll adds all groups of src to b.
func (a *aggregate) mergeAll(b, src *bucket) error {
	live := src.live()
	for from := 0; from < len(live); from += vec.BatchSize {
		groups := live[from:min(from+vec.BatchSize, len(live))]
		_, into := a.tmp.run(0, len(groups))
		b.lookup(src, groups, into)
		if err := b.addGroups(src, groups, into); err != nil {
			return err
		}
	}
	return nil
}

// mergeKnown adds to groups of b what src has of their keys.
func (a *aggregate) mergeKnown(b *bucket, groups []uint32, src *bucket) error {
	for from := 0; from < len(groups); from += vec.BatchSize {
		chunk := groups[from:min(from+vec.BatchSize, len(groups))]
		_, found := a.tmp.run(0, len(chunk))
		if b.table != nil {
			src.table.Find(a.tmp.keysOf(b.table, chunk), nil, nil, found)
		} else {
			clear(found)
		}
		there, into := a.tmp.firsts[:0], make([]uint32, 0, len(chunk))
		for i, g := range found {
			if g != hash.Missing && src.rows[g] > 0 {
				there, into = append(there, g), append(into, chunk[i])
			}
		}
		a.tmp.firsts = there
		if err := b.addGroups(src, there, into); err != nil {
			return err
		}
	}
	return nil
}

// numbers lists all group numbers of a window's scratch bucket.
func (b *bucket) numbers() []uint32 {
	out := make([]uint32, b.used())
	for g := range out {
		out[g] = uint32(g)
	}
	return out
}

// clearGroups empties the accumulators and keeps the keys.
func (b *bucket) clearGroups() {
	for g := range uint32(b.used()) {
		b.rows[g] = 0
		for _, acc := range b.accs {
			if acc != nil {
				acc.Reset(g)
			}
		}
	}
}

// rememberWindow notes the old results of a window's touched groups.
func (a *aggregate) rememberWindow(b *bucket) error {
	for g := range uint32(b.used()) {
		if b.rows[g] > 0 {
			b.changed = append(b.changed, g)
		} else {
			b.touched = append(b.touched, g)
		}
	}
	if len(b.changed) == 0 {
		return nil
	}
	b.old = vec.NewBuilders(a.outTypes[len(a.cfg.Keys):])
	return a.results(b, b.changed, b.old)
}

// closePanes emits the windows below front, and drops the panes that no other window
// contains.
func (a *aggregate) closePanes(front int64, out Emit) error {
	p := a.cfg.Panes
	if a.cfg.EmitOnClose {
		for _, s := range a.finalWindows(front) {
			b := newBucket(a, slot{at: s}, a.proto)
			if err := a.combine(b, nil, s, true); err != nil {
				return err
			}
			if err := a.emitGroups(b, b.live(), out); err != nil {
				return err
			}
		}
	}
	for _, at := range a.state.ascending() {
		if front != EndOfInput && p.lastStart(at.at) >= front {
			break
		}
		a.drop(a.state.all[at])
	}
	if front == EndOfInput {
		a.closedTo = EndOfInput
	} else if keep := p.firstPane(front); keep > a.closedTo {
		a.closedTo = keep
	}
	return nil
}

// firstPane is the least pane start that a window which starts at or after front contains.
func (p *PaneConfig) firstPane(front int64) int64 { return p.lastStart(front-1) + p.Slide }

// finalWindows lists the windows with panes that become final when the bound moves to
// front, ascending.
func (a *aggregate) finalWindows(front int64) []int64 {
	p := a.cfg.Panes
	seen := map[slot]bool{}
	for _, at := range a.state.ascending() {
		if front != EndOfInput && at.at >= front+p.Size {
			break
		}
		for s := a.openFrom(at.at); s <= p.lastStart(at.at) && (s < front || front == EndOfInput); s += p.Slide {
			seen[slot{at: s}] = true
		}
	}
	var out []int64
	for _, s := range sortedSlots(seen) {
		out = append(out, s.at)
	}
	return out
}
