package datagen

import (
	"encoding/binary"
	"math/bits"
	"sort"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// rule is how a column is filled.
type rule struct {
	typ   types.Type
	nulls float64 // share
	// fill appends the value of row n, which belongs to the moment at (µs).
	fill func(out *vec.Builder, n, at int64, d *dice)
}

// between is a random whole number from lo to hi.
func (d *dice) between(lo, hi int64) int64 {
	span := uint64(hi-lo) + 1
	if span == 0 {
		return int64(d.next())
	}
	x, _ := bits.Mul64(d.next(), span)
	return lo + int64(x)
}

// whole appends a whole number as a value of the builder's type.
func whole(out *vec.Builder, x int64) {
	if out.Type().Phys() == types.PhysInt128 {
		out.AppendInt128(types.Int128From(x))
	} else {
		out.AppendInt(x)
	}
}

func sequence(from, step int64) func(*vec.Builder, int64, int64, *dice) {
	return func(out *vec.Builder, n, _ int64, _ *dice) { whole(out, from+n*step) }
}

func randomWhole(lo, hi int64) func(*vec.Builder, int64, int64, *dice) {
	return func(out *vec.Builder, _, _ int64, d *dice) { whole(out, d.between(lo, hi)) }
}

func randomFloat(lo, hi float64, single bool) func(*vec.Builder, int64, int64, *dice) {
	return func(out *vec.Builder, _, _ int64, d *dice) {
		x := lo + d.share()*(hi-lo)
		if single {
			x = float64(float32(x))
		}
		out.AppendFloat(x)
	}
}

func randomBool(out *vec.Builder, _, _ int64, d *dice) { out.AppendBool(d.next()&1 == 1) }

// randomUUID appends UUIDs of version 4.
func randomUUID(out *vec.Builder, _, _ int64, d *dice) {
	var id [16]byte
	binary.BigEndian.PutUint64(id[:], d.next())
	binary.BigEndian.PutUint64(id[8:], d.next())
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	out.AppendBytes(id[:])
}

// randomText appends lower-case letters.
func randomText(shortest, longest int64) func(*vec.Builder, int64, int64, *dice) {
	return func(out *vec.Builder, _, _ int64, d *dice) {
		n := d.between(shortest, longest)
		out.AppendFunc(func(dst []byte) []byte {
			for n > 0 {
				x := d.next()
				for range min(n, 12) {
					dst, x = append(dst, 'a'+byte(x%26)), x/26
				}
				n -= min(n, 12)
			}
			return dst
		})
	}
}

// choice picks one of values; upTo is, by value, the sum of the weights up to it.
func choice(values *vec.Vector, upTo []float64) func(*vec.Builder, int64, int64, *dice) {
	all := upTo[len(upTo)-1]
	return func(out *vec.Builder, _, _ int64, d *dice) {
		x := d.share() * all
		i := sort.Search(len(upTo), func(i int) bool { return upTo[i] > x })
		out.AppendFrom(values, min(i, len(upTo)-1))
	}
}

// lateness says how event times differ from the moments of their rows.
type lateness struct {
	jitter int64   // up to so many µs before
	share  float64 // of the rows that come late
	by     int64   // µs, the jitter besides
}

func (l lateness) fill(out *vec.Builder, _, at int64, d *dice) {
	if l.jitter > 0 {
		at -= d.between(0, l.jitter)
	}
	if l.share > 0 && d.share() < l.share {
		at -= l.by
	}
	out.AppendInt(at)
}
