package physical

import "encoding/json"

// NodeMeasure is what a node has done, for EXPLAIN (ANALYZE, FORMAT JSON).
type NodeMeasure struct {
	Rows   int64  `json:"rows"`
	Micros int64  `json:"timeUs"`
	Kept   *int64 `json:"keptRows,omitempty"` // where the node keeps something
	Bytes  *int64 `json:"keptBytes,omitempty"`
}

// planJSON is a query, as EXPLAIN (FORMAT JSON) prints it: the same words as Explain.
type planJSON struct {
	Outputs []outputJSON `json:"outputs"`
	Late    []string     `json:"late"`
	Kept    []string     `json:"neverCleaned"`
	Notes   []string     `json:"notes,omitempty"`
}

type outputJSON struct {
	Target    string    `json:"target"`
	Name      string    `json:"name,omitempty"`
	Mode      string    `json:"mode"`
	Why       string    `json:"why,omitempty"`
	Key       []string  `json:"key,omitempty"`
	Guarantee string    `json:"guarantee,omitempty"`
	Plan      *nodeJSON `json:"plan"`
}

type nodeJSON struct {
	Node     string       `json:"node"`
	Number   int          `json:"number"`
	ID       string       `json:"id,omitempty"` // of the state
	Summary  string       `json:"summary,omitempty"`
	Kind     string       `json:"kind"`
	Key      []string     `json:"key,omitempty"`
	Frontier []string     `json:"frontier,omitempty"`
	Details  []string     `json:"details,omitempty"`
	Measured *NodeMeasure `json:"measured,omitempty"`
	Static   *nodeJSON    `json:"static,omitempty"` // read once, before the first trigger
	Inputs   []*nodeJSON  `json:"inputs,omitempty"` // of a shared node only where it stands first
}

// ExplainJSON is Explain as a JSON document; measured tells what a node has done, nil where
// that is not known, and may be nil itself.
func ExplainJSON(q *Query, measured func(Node) *NodeMeasure) string {
	p := newPrinter(q)
	out := planJSON{Late: append([]string{}, p.late...), Kept: append([]string{}, p.kept...), Notes: notes(q)}
	for _, o := range q.Outputs {
		x := outputJSON{Target: targetNames[o.Target], Name: o.Name, Mode: o.Mode.String(), Why: o.Why, Guarantee: o.Guarantee, Plan: p.json(o.Input, measured)}
		if len(o.Key) > 0 {
			x.Key = keyNames(&o.P, o.Key)
		}
		out.Outputs = append(out.Outputs, x)
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		panic("physical: a plan that is no JSON: " + err.Error()) // strings and numbers alone
	}
	return string(text) + "\n"
}

func (p *printer) json(n Node, measured func(Node) *NodeMeasure) *nodeJSON {
	if p.numbers[n] == 0 { // below a static side
		p.numbers[n] = len(p.numbers) + 1
	}
	x, pr := n.explain(), n.Props()
	out := &nodeJSON{Node: kindOf(n), Number: p.numbers[n], Summary: x.summary, Details: x.details, Kind: pr.Kind.String()}
	if n.Stateful() {
		out.ID = ShortID(n)
	}
	if len(pr.Keys) > 0 {
		out.Key = keyNames(pr, pr.Keys[0])
	}
	for _, f := range pr.Frontiers {
		out.Frontier = append(out.Frontier, frontierText(n, f))
	}
	if measured != nil {
		out.Measured = measured(n)
	}
	if p.printed[n] {
		return out
	}
	p.printed[n] = true
	if x, ok := n.(*StaticJoin); ok {
		out.Static = p.json(x.Static, measured)
	}
	for _, c := range n.Children() {
		out.Inputs = append(out.Inputs, p.json(c, measured))
	}
	return out
}
