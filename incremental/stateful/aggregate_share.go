package stateful

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// What is worth the graph's workers: sharing costs some microseconds.
const (
	sharedGroups = 4 * vec.BatchSize
	sharedBytes  = 4 << 20 // of a bucket with few groups, whose accumulators are large
)

// hand is what a goroutine needs to make rows of buckets.
type hand struct {
	tmp      *scratch
	builders []*vec.Builder // output
	ctx      *fn.Ctx        // of the trigger
	made     []*vec.Batch   // what waits to be emitted
}

func (a *aggregate) newHand() *hand {
	return &hand{tmp: newScratch(a.tableKeys), builders: vec.NewBuilders(a.outTypes)}
}

// begin begins Flush or Advance.
func (a *aggregate) begin(t *Trigger) { a.trigger, a.ctx = t, t.Ctx }

// workers is how many there are for the trigger under way.
func (a *aggregate) workers() int {
	if a.trigger == nil || a.trigger.Workers == nil {
		return 1
	}
	return a.trigger.Workers.Count()
}

// emitEach calls emit for each i below n, with rows in all. It is shared if that is worth
// it; rows reach takers that want an order in that of i.
func (a *aggregate) emitEach(n, rows int, out Emit, emit func(h *hand, i int, out Emit) error) error {
	switch {
	case rows < a.shareFrom || a.workers() == 1:
		for i := range n {
			if err := emit(a.hand, i, out); err != nil {
				return err
			}
		}
		return nil
	case a.trigger.Out != nil:
		a.giveHands(a.workers())
		return a.trigger.Workers.Share(n, func(t *Trigger, i int) error {
			h := a.hands[t.Worker]
			h.ctx = t.Ctx
			return emit(h, i, t.Out)
		})
	}
	return a.emitRounds(n, out, emit)
}

func (a *aggregate) giveHands(n int) {
	for len(a.hands) < n {
		a.hands = append(a.hands, a.newHand())
	}
}

// emitRounds makes the rows of some i at a time by workers, and emits them itself.
func (a *aggregate) emitRounds(n int, out Emit, emit func(h *hand, i int, out Emit) error) error {
	round := 4 * a.workers()
	a.giveHands(round)
	for from := 0; from < n; from += round {
		hands := a.hands[:min(round, n-from)]
		err := a.trigger.Workers.Share(len(hands), func(t *Trigger, i int) error {
			h := hands[i]
			h.ctx, h.made = t.Ctx, h.made[:0]
			return emit(h, from+i, func(b *vec.Batch) error {
				h.made = append(h.made, b)
				return nil
			})
		})
		if err != nil {
			return err
		}
		for k, h := range hands {
			if mutant.On("a round emits what its last worker made") && k < len(hands)-1 {
				continue
			}
			for i, b := range h.made {
				h.made[i] = nil
				if err := out(b); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// shares tells that merging a bucket is worth sharing.
func (a *aggregate) shares(src *bucket) bool {
	return a.workers() > 1 && (src.used() >= a.shareFrom || src.bytes() >= sharedBytes)
}

// mergeShared is mergeInto by all workers: the keys in parts by hash, then each
// accumulator on its own.
func (a *aggregate) mergeShared(b, src *bucket) error {
	groups, into := src.numbers(), make([]uint32, src.used())
	if err := a.absorb(b, src, into); err != nil {
		return err
	}
	if err := a.growShared(b); err != nil {
		return err
	}
	first := a.touch(b, into)
	if err := a.sharedOldResults(b, first); err != nil {
		return err
	}
	return a.trigger.Workers.Share(len(b.accs)+1, func(_ *Trigger, i int) error {
		if mutant.On("shared accumulators miss the last aggregate") && i == len(b.accs)-1 {
			return nil
		}
		if i == len(b.accs) {
			b.addRows(src, groups, into)
			return nil
		}
		if err := b.addAccs(i, src, groups, into); err != nil {
			return fmt.Errorf("%s: %w", a.cfg.Name, err)
		}
		return nil
	})
}

// absorb finds the groups of b for all of src, making those that are missing.
func (a *aggregate) absorb(b, src *bucket, into []uint32) error {
	if b.table == nil {
		return nil
	}
	share := a.trigger.Workers.Share
	return b.table.Absorb(src.table, into, 4*a.workers(), func(n int, work func(int)) error {
		return share(n, func(_ *Trigger, i int) error {
			work(i)
			return nil
		})
	})
}

// growShared is grow by all workers.
func (a *aggregate) growShared(b *bucket) error {
	n := b.used()
	if n <= b.size {
		return nil
	}
	b.growRows(n)
	return a.trigger.Workers.Share(len(b.accs), func(_ *Trigger, i int) error {
		if b.accs[i] != nil {
			b.accs[i].Grow(n)
		}
		return nil
	})
}

// sharedOldResults is oldResults by all workers, an aggregate each.
func (a *aggregate) sharedOldResults(b *bucket, groups []uint32) error {
	if len(groups) == 0 {
		return nil
	}
	return a.trigger.Workers.Share(len(b.accs), func(t *Trigger, i int) error {
		defer forgetErrors(t.Ctx)()
		return a.resultIn(t.Ctx, b, i, groups, b.old[i])
	})
}
