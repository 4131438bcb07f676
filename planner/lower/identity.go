package lower

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"
	"sort"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
)

// identity is the meaning of an edge in terms of the sources: which rows, and what
// each column is. It does not depend on the order of rewrites, on columns that are
// cut, or on how projections are split; operator ids are hashes of it.
type identity struct {
	base    string   // the rows, without filters
	filters []string // conditions on them, sorted
	cols    []string // by physical column: its text over the sources
}

// rows is the text of the row set.
func (id identity) rows() string {
	if len(id.filters) == 0 {
		return id.base
	}
	return id.base + " where " + strings.Join(id.filters, " and ")
}

// text is an expression over the edge in terms of the sources.
func (id identity) text(e expr.Node) string {
	return expr.Rewrite(e, func(x expr.Node) expr.Node {
		if c, ok := x.(*expr.Column); ok {
			return &expr.Column{Index: c.Index, Name: id.cols[c.Index], T: c.T}
		}
		return x
	}).String()
}

func (id identity) texts(list []expr.Node) string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = id.text(e)
	}
	return strings.Join(parts, ", ")
}

// filtered adds conditions.
func (id identity) filtered(pred expr.Node) identity {
	parts := []expr.Node{pred}
	if a, ok := pred.(*expr.And); ok {
		parts = a.Args
	}
	set := map[string]bool{}
	for _, f := range id.filters {
		set[f] = true
	}
	for _, p := range parts {
		set[id.text(p)] = true
	}
	out := identity{base: id.base, cols: id.cols}
	for f := range set {
		out.filters = append(out.filters, f)
	}
	sort.Strings(out.filters)
	return out
}

// projected has other columns.
func (id identity) projected(exprs []expr.Node) identity {
	out := identity{base: id.base, filters: id.filters, cols: make([]string, len(exprs))}
	for i, e := range exprs {
		out.cols[i] = id.text(e)
	}
	return out
}

// longestText is how long a text of an identity may grow before its hash stands for it.
const longestText = 4096

// bounded has no long texts. The columns of many operators name their rows, and the
// rows of the next operator its columns, so that texts would double at each level.
func (id identity) bounded() identity {
	id.base = shorten(id.base)
	id.filters = shortenAll(id.filters)
	id.cols = shortenAll(id.cols)
	return id
}

func shortenAll(list []string) []string {
	if !slices.ContainsFunc(list, func(s string) bool { return len(s) > longestText }) {
		return list
	}
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = shorten(s)
	}
	return out
}

func shorten(s string) string {
	if len(s) <= longestText {
		return s
	}
	return "#" + hashOf(s)
}

// hashOf is an operator id.
func hashOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// beginning is what the texts of many columns begin with: it is hashed once for all.
type beginning struct {
	text string
	sum  hash.Cloner // of text; nil as long as none is shortened
}

// with is the text with an end, shortened.
func (b *beginning) with(end string) string {
	if len(b.text)+len(end) <= longestText {
		return b.text + end
	}
	if b.sum == nil {
		b.sum = sha256.New().(hash.Cloner)
		b.sum.Write([]byte(b.text))
	}
	whole, err := b.sum.Clone()
	if err != nil {
		return shorten(b.text + end)
	}
	whole.Write([]byte(end))
	return "#" + hex.EncodeToString(whole.Sum(nil)[:8])
}
