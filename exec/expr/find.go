package expr

import (
	"github.com/sqlstream/sqlstream/exec/vec"
)

// few is a list that is looked through faster than anything is hashed.
const few = 12

// hashedLevels bounds how deep Hash looks: who looks for each part of a long expression
// hashes each of its nodes so often.
const hashedLevels = 6

// Hash is the same for expressions that are Equal. It looks at their upper levels only.
func Hash(nodes ...Node) uint64 {
	h := uint64(len(nodes))
	for _, n := range nodes {
		h = vec.CombineHash(h, hashNode(n, hashedLevels))
	}
	return h
}

func hashNode(n Node, levels int) uint64 {
	switch x := n.(type) {
	case *Column:
		return vec.HashInt(int64(x.Index))
	case *Const:
		return vec.HashRow([]*vec.Vector{x.V}, 0)
	}
	kids := n.Children()
	h := vec.CombineHash(hashSelf(n), uint64(len(kids)))
	if levels == 0 {
		return h
	}
	for _, k := range kids {
		h = vec.CombineHash(h, hashNode(k, levels-1))
	}
	return h
}

// hashSelf hashes what sameNode compares.
func hashSelf(n Node) uint64 {
	switch x := n.(type) {
	case *Call:
		return vec.HashBytes([]byte(x.F.Name))
	case *Param:
		return vec.HashInt(int64(x.ID))
	case *Field:
		return vec.HashInt(-1 - int64(x.Index))
	case *In:
		h := uint64(len(x.List))
		for _, c := range x.List[:min(len(x.List), 4)] {
			h = vec.CombineHash(h, vec.HashRow([]*vec.Vector{c.V}, 0))
		}
		return h
	}
	return 0
}

// Finder finds elements of a list that only grows, in a time that does not grow with it.
// The zero Finder is ready; Reset it when elements of the list have changed.
type Finder struct {
	seen int
	at   map[uint64][]int32
}

// Reset forgets the list.
func (f *Finder) Reset() { *f = Finder{} }

// Find is the first of n elements that is the same as one whose hash is want, −1 = none.
func (f *Finder) Find(n int, want func() uint64, hash func(i int) uint64, same func(i int) bool) int {
	if n <= few {
		for i := range n {
			if same(i) {
				return i
			}
		}
		return -1
	}
	if f.at == nil {
		f.at = make(map[uint64][]int32, 2*n)
	}
	for ; f.seen < n; f.seen++ {
		h := hash(f.seen)
		f.at[h] = append(f.at[h], int32(f.seen))
	}
	for _, i := range f.at[want()] {
		if same(int(i)) {
			return int(i)
		}
	}
	return -1
}

// FindExpr is the place of the first expression of a list that is Equal to n, −1 = none.
func (f *Finder) FindExpr(list []Node, n Node) int {
	return f.Find(len(list), func() uint64 { return Hash(n) }, func(i int) uint64 { return Hash(list[i]) }, func(i int) bool { return Equal(list[i], n) })
}
