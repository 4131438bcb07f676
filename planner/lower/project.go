package lower

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

func (l *Lowerer) projectNeeds(p *logical.Project, need []bool) []bool {
	below := make([]bool, logical.Width(p.Input))
	for i, e := range p.Exprs {
		if need[i] {
			use(below, e)
		}
	}
	return below
}

// projectOver computes the needed columns of a projection.
func (l *Lowerer) projectOver(p *logical.Project, need []bool, in *lowered) *lowered {
	var exprs []expr.Node
	var names []string
	cols := make([]int, len(p.Exprs))
	for i, e := range p.Exprs {
		cols[i] = -1
		if need[i] {
			cols[i] = len(exprs)
			exprs, names = append(exprs, onto(in, e)), append(names, p.Names[i])
		}
	}
	if at := columnsOnly(exprs); at != nil {
		return renamed(in, at, cols)
	}
	out := l.project(in, exprs, names)
	out.cols = cols
	return out
}

// columnsOnly lists the columns of a projection that computes nothing; nil otherwise.
func columnsOnly(exprs []expr.Node) []int {
	at := make([]int, 0, len(exprs))
	for _, e := range exprs {
		c, ok := e.(*expr.Column)
		if !ok {
			return nil
		}
		at = append(at, c.Index)
	}
	return at
}

// renamed reads the input itself: a projection that computes nothing is no node. The
// root puts columns in order.
func renamed(in *lowered, at, cols []int) *lowered {
	out := *in
	out.cols = make([]int, len(cols))
	for i, c := range cols {
		out.cols[i] = -1
		if c >= 0 {
			out.cols[i] = at[c]
		}
	}
	return &out
}

// project adds a Project over physical columns.
func (l *Lowerer) project(in *lowered, exprs []expr.Node, names []string) *lowered {
	if l.readsTime(in, exprs) {
		return l.moving(in, exprs, names)
	}
	l.checkStable(in, exprs...)
	n := &physical.Project{Input: in.node, Exprs: exprs}
	out := &lowered{node: n, cols: make([]int, len(exprs)), delay: in.delay, id: in.id.projected(exprs)}
	n.P.Kind = in.props().Kind
	for i, e := range exprs {
		out.cols[i] = i
		n.P.Columns = append(n.P.Columns, types.Column{Name: names[i], Type: e.Type()})
		addFrontiers(&n.P, &out.hard, i, l.frontiersOf(in, e))
	}
	n.P.Columns = unique(n.P.Columns)
	n.P.Keys = projectKeys(in.props().Keys, exprs)
	n.OpID = hashOf("project", out.id.rows(), in.id.texts(exprs))
	return out
}

// projectKeys follows unique keys through expressions that determine their column.
func projectKeys(keys [][]int, exprs []expr.Node) [][]int {
	at := map[int]int{}
	for i, e := range exprs {
		if c, ok := determines(e); ok {
			if _, dup := at[c]; !dup {
				at[c] = i
			}
		}
	}
	var out [][]int
	for _, key := range keys {
		next := []int{}
		for _, c := range key {
			if i, ok := at[c]; ok {
				next = append(next, i)
			}
		}
		if len(next) == len(key) {
			out = append(out, next)
		}
	}
	return out
}

// determines reports an expression whose value fixes the value of one column: the
// column itself, or the end or both bounds of the window that starts there.
func determines(e expr.Node) (int, bool) {
	switch x := e.(type) {
	case *expr.Column:
		return x.Index, true
	case *expr.Call:
		if x.F == &timewindow.End || x.F == &timewindow.Pair {
			return determines(x.Args[0])
		}
		if x.F.Name == "-" && x.Type().IsTime() && len(x.Args) == 2 && expr.IsConst(x.Args[1]) {
			return determines(x.Args[0])
		}
	}
	return 0, false
}

// unnest multiplies rows by what a generator makes of them.
func (l *Lowerer) unnest(u *logical.Unnest, need []bool) *lowered {
	width := logical.Width(u.Input)
	below := append([]bool(nil), need[:width]...)
	use(below, u.Args...)
	in := l.closed(l.node(u.Input, below)) // what is made of a row is final with it, and may have no time
	args := make([]expr.Node, len(u.Args))
	for i, a := range u.Args {
		args[i] = onto(in, a)
	}
	l.checkStable(in, args...)
	n := &physical.Unnest{Input: in.node, Gen: u.Impl, Args: args, Outer: u.Outer, Ordinality: u.Ordinality, Text: u.Text()}
	text := u.Gen.Name + "(" + in.id.texts(args) + ")"
	if u.Outer {
		text += " outer"
	}
	out := &lowered{node: n, delay: in.delay, id: identity{base: in.id.base + " unnest " + text, filters: in.id.filters}}
	p := in.props()
	n.P.Kind = p.Kind
	if n.P.Kind == physical.NoDelete {
		n.P.Kind = physical.Retract
	}
	n.P.Columns = unique(append(append([]types.Column(nil), p.Columns...), u.Schema()[width:]...))
	out.cols = append(append([]int(nil), in.cols...), make([]int, logical.Width(u)-width)...)
	out.id.cols = append([]string(nil), in.id.cols...)
	for i := width; i < len(out.cols); i++ {
		out.cols[i] = len(p.Columns) + i - width
		out.id.cols = append(out.id.cols, text+"."+itoa(i-width))
	}
	passAll(in, &n.P, &out.hard)
	n.OpID = hashOf("unnest", out.id.rows())
	return out
}

// union takes the rows of all inputs.
func (l *Lowerer) union(u *logical.UnionAll, need []bool) *lowered {
	n := &physical.UnionAll{}
	out := &lowered{node: n, cols: make([]int, len(need))}
	var ins []*lowered
	base := "union"
	for _, input := range u.Inputs {
		in := l.aligned(input, need)
		ins = append(ins, in)
		n.Inputs = append(n.Inputs, in.node)
		n.P.Kind = max(n.P.Kind, in.props().Kind)
		base += " (" + in.id.rows() + " : " + joinTexts(in.id.cols) + ")"
		out.delay = longer(out.delay, in.delay)
	}
	out.id.base = base
	k := 0
	for i, c := range u.Schema() {
		out.cols[i] = -1
		if need[i] {
			out.cols[i] = k
			n.P.Columns = append(n.P.Columns, c)
			out.id.cols = append(out.id.cols, base+"."+itoa(k))
			k++
		}
	}
	n.P.Columns = unique(n.P.Columns)
	unionFrontiers(ins, out, &n.P)
	if key := unionKey(ins); key != nil {
		n.P.Keys = [][]int{key}
	} else if n.P.Kind == physical.NoDelete {
		n.P.Kind = physical.Retract // without a key nothing ties a change to its row
	}
	n.OpID = hashOf("union", base)
	return out
}

// aligned lowers an input of a union to exactly the needed columns, in order.
func (l *Lowerer) aligned(input logical.Node, need []bool) *lowered {
	in := l.node(input, append([]bool(nil), need...))
	var exprs []expr.Node
	var names []string
	same := true
	for i, c := range input.Schema() {
		if !need[i] {
			continue
		}
		same = same && in.cols[i] == len(exprs)
		exprs, names = append(exprs, column(in, in.cols[i])), append(names, c.Name)
	}
	if same && len(exprs) == len(in.props().Columns) {
		return in
	}
	return l.project(in, exprs, names)
}

// unionFrontiers keeps the frontiers that every input has.
func unionFrontiers(ins []*lowered, out *lowered, p *physical.Props) {
	for i, f := range ins[0].props().Frontiers {
		rules := []physical.FrontierInput{{Child: 0, Front: i}}
		hard := ins[0].hard[i]
		for c, in := range ins[1:] {
			at := in.props().FrontierOf(f.Col, f.Path...)
			if at < 0 {
				break
			}
			rules = append(rules, physical.FrontierInput{Child: c + 1, Front: at})
			hard = hard && in.hard[at]
		}
		if len(rules) == len(ins) {
			p.Frontiers = append(p.Frontiers, physical.Frontier{Col: f.Col, Path: f.Path, Rules: rules})
			out.hard = append(out.hard, hard)
		}
	}
}

// unionKey finds a key of a union: a column in which each input has another constant,
// together with a key of each input.
func unionKey(ins []*lowered) []int {
	for col := range ins[0].props().Columns {
		if !distinctConstants(ins, col) {
			continue
		}
		set := map[int]bool{col: true}
		for _, in := range ins {
			if len(in.props().Keys) == 0 {
				return nil
			}
			for _, c := range in.props().Keys[0] {
				set[c] = true
			}
		}
		var key []int
		for c := range ins[0].props().Columns {
			if set[c] {
				key = append(key, c)
			}
		}
		return key
	}
	return nil
}

func distinctConstants(ins []*lowered, col int) bool {
	seen := map[string]bool{}
	for _, in := range ins {
		p, ok := in.node.(*physical.Project)
		if !ok || !expr.IsConst(p.Exprs[col]) {
			return false
		}
		seen[p.Exprs[col].String()] = true
	}
	return len(seen) == len(ins)
}
