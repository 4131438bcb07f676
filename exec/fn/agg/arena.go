package agg

import "github.com/sqlstream/sqlstream/exec/invariant"

// arena holds byte strings of an accumulator in one buffer: pointer-free references
// instead of one allocation a value. Dropped strings leave holes, which compaction
// removes when they are the larger part.
type arena struct {
	buf  []byte
	dead int // bytes of dropped strings
}

// ref is a string of an arena.
type ref struct {
	off, len uint32
}

func (a *arena) put(b []byte) ref {
	if len(b) == 0 {
		return ref{}
	}
	off := len(a.buf)
	if off+len(b) > 1<<32-1 {
		panic(invariant.Limit("one aggregate keeps more than 4 GiB of values"))
	}
	a.buf = append(a.buf, b...)
	return ref{uint32(off), uint32(len(b))}
}

func (a *arena) get(r ref) []byte { return a.buf[r.off : r.off+r.len : r.off+r.len] }

func (a *arena) drop(r ref) { a.dead += int(r.len) }

// wasteful tells that compaction is due.
func (a *arena) wasteful() bool {
	return a.dead > 4096 && a.dead > len(a.buf)/2 || a.dead > 0 && a.dead == len(a.buf)
}

// compact copies the strings that are in use to a new buffer. eachRef visits all of
// them.
func (a *arena) compact(eachRef func(visit func(*ref))) {
	fresh := arena{buf: make([]byte, 0, len(a.buf)-a.dead)}
	eachRef(func(r *ref) { *r = fresh.put(a.get(*r)) })
	*a = fresh
}
