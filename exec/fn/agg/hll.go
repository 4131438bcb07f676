package agg

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/sketch"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Sketches lists the aggregates that make sketches. What they give depends on the rows
// alone, not on their order, workers or restarts, and follows deletions: over append-only
// input an HLL sketch keeps one entry a register, over other input one for each different
// hash that is there.
func Sketches() []fn.Aggregate {
	return []fn.Aggregate{hllSketch, hllUnion, countMin}
}

var hllSketch = fn.Aggregate{
	Name: "hll_sketch_agg", Group: "Sketches", Syntax: []string{"hll_sketch_agg(x [, lgConfigK])"},
	Doc: "A HyperLogLog sketch, as Apache DataSketches and Spark write it, of the whole numbers, texts or BYTES that are not NULL; empty texts and BYTES do not count. " +
		"hll_sketch_estimate tells about how many different ones there are, hll_union_agg joins sketches. lgConfigK, a constant from 4 to 21, is 12 without; " +
		"the relative standard error is 1.04 / √2^lgConfigK. Over input without deletions the state has at most 2^lgConfigK entries, otherwise one for each different value.",
	Examples: []fn.Example{
		{SQL: "hll_sketch_estimate(hll_sketch_agg(x)) FROM (VALUES (1), (2), (2), (NULL)) AS t(x)", Want: "2"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 1, 2); err != nil {
			return fn.AggImpl{}, err
		}
		t, err := sketchable(args[0].Type)
		if err != nil {
			return fn.AggImpl{}, err
		}
		lgK := sketch.DefaultLgK
		if len(args) == 2 {
			if lgK, err = constLgK(args[1]); err != nil {
				return fn.AggImpl{}, err
			}
		}
		impl := fn.AggImpl{Args: argTypes(args), Result: blob}
		impl.Args[0] = t
		impl.New = func(retract bool) fn.Accumulator { return &hllBag{lgK: lgK, whole: t.IsInteger(), retract: retract} }
		return impl, nil
	},
}

// sketchable is the type that a value is hashed as: BIGINT, STRING or BYTES.
func sketchable(t types.Type) (types.Type, error) {
	switch {
	case t.IsInteger(), t.Kind == types.Null:
		return bigint, nil
	case t.Kind == types.String, t.Kind == types.Bytes:
		return t, nil
	}
	return t, fmt.Errorf("needs a whole number, STRING or BYTES, got %s; CAST it", t)
}

func constLgK(arg fn.Arg) (int, error) {
	c := arg.Const
	if c == nil || !arg.Type.IsInteger() || c.IsNull(0) || c.Int(0) < sketch.MinLgK || c.Int(0) > sketch.MaxLgK {
		return 0, errors.New("needs a constant from 4 to 21 as argument 2")
	}
	return int(c.Int(0)), nil
}

// The first byte of an entry of an HLL sketch.
const (
	hllCoupon   = 0 // and the coupon, 4 bytes big-endian
	hllRegister = 1 // and the register, 3 bytes big-endian, and what it holds, 1 byte
	hllSize     = 2 // and lgK: of a sketch that was joined
)

func couponKey(dst []byte, c uint32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, hllCoupon), c)
}

func registerKey(dst []byte, slot int, v byte) []byte {
	return append(dst, hllRegister, byte(slot>>16), byte(slot>>8), byte(slot), v)
}

// hllBag is the accumulator of hll_sketch_agg. State: entries, see above, → weight.
type hllBag struct {
	valueBag
	lgK     int
	whole   bool
	retract bool
	coupons cells[int32] // how many of the group's entries are coupons
	scratch []byte
}

// Grow implements fn.Accumulator.
func (a *hllBag) Grow(n int) {
	a.valueBag.Grow(n)
	a.coupons.Grow(n)
}

// Reset implements fn.Accumulator.
func (a *hllBag) Reset(g uint32) {
	a.valueBag.Reset(g)
	a.coupons.Reset(g)
}

// Bytes implements fn.Accumulator.
func (a *hllBag) Bytes() int64 { return a.valueBag.Bytes() + a.coupons.Bytes() }

// Add implements fn.Accumulator.
func (a *hllBag) Add(rows fn.AggRows) error {
	v := rows.Args[0]
	each(rows, v, func(g uint32, r int, w int64) {
		if data := a.data(v, r); len(data) > 0 {
			a.come(g, sketch.Coupon(data), w)
		}
	})
	return nil
}

// data are the bytes that are hashed.
func (a *hllBag) data(v *vec.Vector, r int) []byte {
	if !a.whole {
		return v.Bytes(r)
	}
	a.scratch = binary.LittleEndian.AppendUint64(a.scratch[:0], uint64(v.Int(r)))
	return a.scratch
}

func (a *hllBag) come(g uint32, c uint32, w int64) {
	if !a.retract && a.promoted(g) {
		slot, v := sketch.Slot(c, a.lgK)
		a.raise(g, slot, v)
		return
	}
	a.buf = couponKey(a.buf[:0], c)
	before, after := a.add(g, a.buf, w)
	a.count(g, before, after)
}

// count follows how many coupons there are, and turns too many into registers.
func (a *hllBag) count(g uint32, before, after int64) {
	switch {
	case before == 0 && after != 0:
		a.coupons.at[g]++
	case before != 0 && after == 0:
		a.coupons.at[g]--
	}
	if a.retract || int(a.coupons.at[g]) <= sketch.CouponLimit(a.lgK) {
		return
	}
	type entry struct {
		c uint32
		w int64
	}
	var list []entry
	a.walk(g, func(key []byte, w int64) bool {
		list = append(list, entry{binary.BigEndian.Uint32(key[1:]), w})
		return true
	})
	for _, e := range list {
		a.buf = couponKey(a.buf[:0], e.c)
		a.add(g, a.buf, -e.w)
		slot, v := sketch.Slot(e.c, a.lgK)
		a.raise(g, slot, v)
	}
	a.coupons.at[g] = 0
}

// promoted tells that a group has registers.
func (a *hllBag) promoted(g uint32) bool {
	last := a.bag.max(g)
	return last != nil && last[0] == hllRegister
}

// raise gives a register at least a value.
func (a *hllBag) raise(g uint32, slot int, v byte) {
	a.buf = registerKey(a.buf[:0], slot, 0xff)
	if old, _ := a.floor(g, a.buf); old != nil && string(old[:4]) == string(a.buf[:4]) {
		if old[4] >= v {
			return
		}
		a.buf = append(a.buf[:0], old...)
		a.add(g, a.buf, -1)
	}
	a.add(g, registerKey(a.buf[:0], slot, v), 1)
}

// Merge implements fn.Accumulator.
func (a *hllBag) Merge(src fn.Accumulator, from, into []uint32) error {
	o := sameKind[hllBag](src)
	for i, f := range from {
		g := into[i]
		o.walkFrom(o.root.at[f], func(n *bagNode) bool {
			key := o.keys.get(n.key)
			if key[0] == hllCoupon {
				a.come(g, binary.BigEndian.Uint32(key[1:]), n.weight)
				return true
			}
			a.promote(g)
			a.raise(g, int(key[1])<<16|int(key[2])<<8|int(key[3]), key[4])
			return true
		})
	}
	return nil
}

// promote turns the coupons of a group into registers.
func (a *hllBag) promote(g uint32) {
	if a.coupons.at[g] > 0 {
		a.coupons.at[g] = int32(sketch.CouponLimit(a.lgK)) + 1
		a.count(g, 0, 0)
	}
}

// Result implements fn.Accumulator.
func (a *hllBag) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		out.AppendBytes(entriesSketch(&a.bag, g, a.lgK).Append(nil))
	}
	return nil
}

// LoadEntry implements fn.EntryAccumulator.
func (a *hllBag) LoadEntry(g uint32, sub, val []byte) error {
	if len(sub) != 5 {
		return errState
	}
	if sub[0] == hllCoupon && a.find(g, prefixOf(sub), sub) == 0 {
		a.coupons.at[g]++
	}
	return a.load(g, sub, val)
}

// entriesSketch is the sketch of the entries of a group. lgK is the least of it and those
// of the joined sketches.
func entriesSketch(b *bag, g uint32, lgK int) *sketch.HLL {
	b.walk(g, func(key []byte, _ int64) bool {
		if key[0] == hllSize {
			lgK = min(lgK, int(key[1]))
		}
		return true
	})
	var coupons []uint32
	var registers []byte
	b.walk(g, func(key []byte, _ int64) bool {
		switch key[0] {
		case hllCoupon:
			coupons = append(coupons, binary.BigEndian.Uint32(key[1:]))
		case hllRegister:
			if registers == nil {
				registers = make([]byte, 1<<lgK)
			}
			slot := (int(key[1])<<16 | int(key[2])<<8 | int(key[3])) & (1<<lgK - 1)
			registers[slot] = max(registers[slot], key[4])
		}
		return true
	})
	h := sketch.FromCoupons(coupons, lgK)
	if registers != nil {
		h = sketch.Union(h, &sketch.HLL{LgK: lgK, Registers: registers})
	}
	return h
}

var hllUnion = fn.Aggregate{
	Name: "hll_union_agg", Group: "Sketches", Syntax: []string{"hll_union_agg(sketch [, allow_different])"},
	Doc: "Joins HLL sketches into that of the values of all of them. Sketches of different lgConfigK are an error, or with true as second argument " +
		"joined into one of the least. A deletion takes its sketch back: the state has an entry for each register, or for each different hash, that some sketch has.",
	Examples: []fn.Example{
		{SQL: "hll_sketch_estimate(hll_union_agg(x)) FROM (VALUES (hll_union(NULL, NULL))) AS t(x)", Want: "0"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 1, 2); err != nil {
			return fn.AggImpl{}, err
		}
		if !types.CanCoerce(args[0].Type, blob) {
			return fn.AggImpl{}, fmt.Errorf("needs a sketch in BYTES, got %s", args[0].Type)
		}
		different := false
		if len(args) == 2 {
			c := args[1].Const
			if c == nil || args[1].Type.Kind != types.Bool || c.IsNull(0) {
				return fn.AggImpl{}, errors.New("needs true or false as argument 2")
			}
			different = c.IsTrue(0)
		}
		impl := fn.AggImpl{Args: argTypes(args), Result: blob}
		impl.Args[0] = blob
		impl.New = func(bool) fn.Accumulator {
			return &bagResult{t: blob, keys: sketchKeys, append: func(a *bagResult, g uint32, out *vec.Builder) error { return a.appendUnion(g, different, out) }}
		}
		return impl, nil
	},
}

// sketchKeys makes an entry of each coupon or register of a sketch, and of its size.
func sketchKeys(key []byte, args []*vec.Vector, r int, put func([]byte, int64)) error {
	if args[0].IsNull(r) {
		return nil
	}
	h, err := sketch.ReadHLL(args[0].Bytes(r))
	if err != nil {
		return &fn.DataError{Func: "hll_union_agg", Row: r, Msg: err.Error()}
	}
	for _, c := range h.Coupons {
		put(couponKey(key[:0], c), 1)
	}
	for slot, v := range h.Registers {
		if v > 0 {
			put(registerKey(key[:0], slot, v), 1)
		}
	}
	put(append(key[:0], hllSize, byte(h.LgK)), 1)
	return nil
}

func (a *bagResult) appendUnion(g uint32, different bool, out *vec.Builder) error {
	sizes, lgK := 0, sketch.DefaultLgK
	a.walk(g, func(key []byte, _ int64) bool {
		if key[0] == hllSize {
			if sizes++; sizes == 1 {
				lgK = int(key[1])
			}
		}
		return true
	})
	if sizes > 1 && !different {
		return &fn.DataError{Func: "hll_union_agg", Row: -1, Msg: "the sketches have different lgConfigK; a second argument true allows it"}
	}
	out.AppendBytes(entriesSketch(&a.bag, g, lgK).Append(nil))
	return nil
}

var countMin = fn.Aggregate{
	Name: "count_min_sketch", Group: "Sketches", Syntax: []string{"count_min_sketch(x, eps, confidence, seed)"},
	Doc: "A count-min sketch of whole numbers, texts or BYTES that are not NULL, with constants for the relative error, the confidence and the seed, " +
		"in the bytes of Spark's CountMinSketch. A deletion takes its counts back exactly; the state has at most 2/eps counters for each of a few hash functions.",
	Examples: []fn.Example{
		{SQL: "substring(hex(count_min_sketch(x, 0.5, 0.5, 1)), 1, 24) FROM (VALUES (1), (2), (1), (NULL)) AS t(x)", Want: "000000010000000000000003"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 4, 4); err != nil {
			return fn.AggImpl{}, err
		}
		t, err := sketchable(args[0].Type)
		if err != nil {
			return fn.AggImpl{}, err
		}
		var p [3]float64
		for i := range p {
			if p[i], err = constNumber(args[i+1], i+2); err != nil {
				return fn.AggImpl{}, err
			}
		}
		shape, err := sketch.NewCountMin(p[0], p[1], int64(p[2]))
		impl := fn.AggImpl{Args: argTypes(args), Result: blob}
		impl.Args[0] = t
		impl.New = func(bool) fn.Accumulator {
			return &bagResult{t: t, keys: counterKeys(shape, t), append: func(a *bagResult, g uint32, out *vec.Builder) error {
				return a.appendCounters(shape, g, out)
			}}
		}
		return impl, err
	},
}

// counterKeys makes an entry of each counter of a value.
func counterKeys(shape *sketch.CountMin, t types.Type) func([]byte, []*vec.Vector, int, func([]byte, int64)) error {
	return func(key []byte, args []*vec.Vector, r int, put func([]byte, int64)) error {
		v := args[0]
		add := func(counter int) { put(binary.BigEndian.AppendUint32(key[:0], uint32(counter)), 1) }
		switch {
		case v.IsNull(r):
		case t.IsInteger():
			shape.Int(v.Int(r), add)
		default:
			shape.Bytes(v.Bytes(r), add)
		}
		return nil
	}
}

func (a *bagResult) appendCounters(shape *sketch.CountMin, g uint32, out *vec.Builder) error {
	counters := make([]int64, shape.Depth*shape.Width)
	total := int64(0)
	a.walk(g, func(key []byte, w int64) bool {
		at := binary.BigEndian.Uint32(key)
		if counters[at] = w; int(at) < shape.Width {
			total += w // each value is once in the first row
		}
		return true
	})
	out.AppendBytes(shape.Append(nil, total, counters))
	return nil
}
