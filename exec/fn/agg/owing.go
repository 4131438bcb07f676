package agg

import "github.com/sqlstream/sqlstream/exec/fn"

// owes tells whether an accumulator knows of a value that was taken back without having
// been there.
func owes(a fn.Accumulator) bool {
	o, ok := a.(fn.Owing)
	return ok && o.Owes()
}

func (b *bag) owes() bool {
	for _, at := range b.dirty {
		if b.nodes[at-1].weight < 0 {
			return true
		}
	}
	return false
}

func (m *valueMap) owes() bool {
	for _, at := range m.dirty {
		if m.entries[at].weight < 0 {
			return true
		}
	}
	return false
}

// Owes implements fn.Owing.
func (a *valueBag) Owes() bool { return a.owes() }

// Owes implements fn.Owing.
func (a *distinct) Owes() bool { return a.seen.owes() || owes(a.inner) }

// Owes implements fn.Owing.
func (f *follower) Owes() bool { return owes(f.inner) }

// Owes implements fn.Owing.
func (a *arrivals) Owes() bool {
	for _, at := range a.dirty {
		if n := &a.nodes[at-1]; n.weight < 0 {
			return true
		}
	}
	return false
}
