package file

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
)

// mostDrifts is how many different differences are kept; more of them say nothing new.
const mostDrifts = 100

// drifts are the differences between files and what is declared. Splits on several workers
// use it.
type drifts struct {
	mu   sync.Mutex
	list []source.Drift
}

var _ source.Drifting = (*Source)(nil)

// Drifts implements source.Drifting.
func (s *Source) Drifts() []source.Drift {
	s.drifts.mu.Lock()
	defer s.drifts.mu.Unlock()
	return slices.Clone(s.drifts.list)
}

// add notes the differences of a file.
func (d *drifts) add(file string, all []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, what := range all {
		i := slices.IndexFunc(d.list, func(x source.Drift) bool { return x.What == what })
		switch {
		case i >= 0:
			d.list[i].Files++
		case len(d.list) < mostDrifts:
			d.list = append(d.list, source.Drift{What: what, First: file, Files: 1})
		}
	}
}

// compare notes how a file that says what its columns are differs from the declaration. Of a
// file that is read in parts the first one does it.
func (p *split) compare(ctx context.Context, f format.File) error {
	r, ok := p.plan.reader.(format.Described)
	if !ok || len(p.sections) > 0 && p.sections[0].Off > 0 {
		return nil
	}
	have, err := r.Describe(ctx, f)
	if err != nil {
		return err
	}
	var declared []types.Column
	for i, c := range p.s.cfg.Columns {
		if p.plan.inData[i] >= 0 {
			declared = append(declared, c.Column)
		}
	}
	p.s.drifts.add(f.Name, differences(declared, have))
	return nil
}

// differences are those between declared columns and the columns of a file, which are found
// by name: their order is none.
func differences(declared, have []types.Column) (out []string) {
	for _, c := range declared {
		switch i := columnOf(have, c.Name, declared); {
		case i < 0:
			out = append(out, fmt.Sprintf("column %q %s is missing and read as NULL", c.Name, c.Type))
		case have[i].Type.Kind != types.Null && !have[i].Type.Equal(c.Type):
			out = append(out, fmt.Sprintf("column %q is %s and read as %s", c.Name, have[i].Type, c.Type))
		}
	}
	for _, c := range have {
		if columnOf(declared, c.Name, have) < 0 {
			out = append(out, fmt.Sprintf("column %q %s is not declared and left out", c.Name, c.Type))
		}
	}
	return out
}

// columnOf finds a column as readers do: the name itself, else regardless of case one that
// is not, as it is written, another one of those that are looked for.
func columnOf(cols []types.Column, name string, others []types.Column) int {
	if i := exactly(cols, name); i >= 0 {
		return i
	}
	return slices.IndexFunc(cols, func(c types.Column) bool {
		return strings.EqualFold(c.Name, name) && exactly(others, c.Name) < 0
	})
}

func exactly(cols []types.Column, name string) int {
	return slices.IndexFunc(cols, func(c types.Column) bool { return c.Name == name })
}
