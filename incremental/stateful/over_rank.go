package stateful

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// overRank computes row_number and its kin.
type overRank struct {
	o *over
	f *OverFunc
}

func (r *overRank) values(p *overPart, out *vec.Builder) error {
	switch r.f.Kind {
	case fn.RowNumber:
		for i := range p.row {
			out.AppendInt(p.from + int64(i) + 1)
		}
	case fn.NTile:
		for i := range p.row {
			if n, ok := r.f.steer(p, i); ok {
				out.AppendInt(tileOf(p.from+int64(i), p.n, n))
			} else {
				out.AppendNull()
			}
		}
	case fn.DenseRank:
		r.dense(p, out)
	default:
		from, to := p.peers()
		for i := range p.row {
			r.byPeers(p, from[i], to[i], out)
		}
	}
	return nil
}

func (r *overRank) byPeers(p *overPart, from, to int64, out *vec.Builder) {
	switch r.f.Kind {
	case fn.Rank:
		if mutant.On("rank counts the peers before the row") {
			from = to - 1
		}
		out.AppendInt(from + 1)
	case fn.PercentRank:
		x := 0.0
		if p.n > 1 {
			x = float64(from) / float64(p.n-1)
		}
		out.AppendFloat(x)
	default:
		out.AppendFloat(float64(to) / float64(p.n))
	}
}

// dense counts the groups before the stretch, and then those in it.
func (r *overRank) dense(p *overPart, out *vec.Builder) {
	from, _ := p.peers()
	n := r.o.tree.groupsBefore(p.q, from[0]) + 1
	for i := range p.row {
		if i > 0 && from[i] != from[i-1] {
			n++
		}
		out.AppendInt(n)
	}
}

// tileOf is the tile of position k of n: the first n % tiles of them have a row more.
func tileOf(k, n, tiles int64) int64 {
	size, more := n/tiles, n%tiles
	if large := more * (size + 1); k < large {
		return k/(size+1) + 1
	} else if size > 0 {
		return more + (k-large)/size + 1
	}
	return k + 1
}
