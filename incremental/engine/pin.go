package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/physical"
	"github.com/sqlstream/sqlstream/storage/checkpoint"
)

// pinned is what a checkpoint remembers of its query: what a restart must not change
// without being told.
type pinned struct {
	SQL       string         `json:"sql"`
	Zone      string         `json:"timezone"`
	Operators []pinnedOp     `json:"operators"`
	Sources   []pinnedSource `json:"sources"`
	Sinks     []pinnedSink   `json:"sinks"`
}

// pinnedOp is a stateful operator: its id is a hash of what determines its state.
type pinnedOp struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Text string `json:"text"`
}

type pinnedSource struct {
	Name      string   `json:"name"`
	Connector string   `json:"connector"`
	At        string   `json:"at"` // as it describes itself
	Columns   []string `json:"columns"`
	Partition []string `json:"partition,omitempty"`
}

type pinnedSink struct {
	Name      string   `json:"name"`
	Connector string   `json:"connector"`
	Format    string   `json:"format,omitempty"`    // of a sink that keeps its rows
	Partition []string `json:"partition,omitempty"` // of a sink that keeps its rows
	Mode      string   `json:"mode"`
	Columns   []string `json:"columns"`
}

// pin compares the plan with what the checkpoint remembers, and refuses what would make
// the state wrong. save remembers the plan: once the checkpoint has been recovered, so
// that a start that is refused after all leaves the old plan, and before the first batch.
func (o *opening) pin() (save func() error, err error) {
	if o.cfg.Journal == nil {
		return func() error { return nil }, nil
	}
	dir := o.cfg.Journal.Dir
	now := o.pinnedPlan()
	k, lines, err := dir.LatestPlan()
	switch {
	case err != nil:
		return nil, err
	case k == checkpoint.NoBatch && dir.LastOffsets() != checkpoint.NoBatch:
		return nil, fmt.Errorf("checkpoint %s: its pinned plan is %w: there is no meta/plan-<n>.json; restore it from a copy", dir.Dir(), checkpoint.ErrMissing)
	case k != checkpoint.NoBatch && len(lines) == 1:
		var before pinned
		if err := json.Unmarshal(lines[0], &before); err != nil {
			return nil, fmt.Errorf("checkpoint %s: pinned plan %d: %w", dir.Dir(), k, err)
		}
		if err := o.compare(before, now); err != nil || equalJSON(before, now) {
			return func() error { return nil }, err
		}
	}
	return func() error {
		line, err := json.Marshal(now)
		if err == nil {
			_, err = dir.SavePlan(line)
		}
		return err
	}, nil
}

func equalJSON(a, b pinned) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

func (o *opening) pinnedPlan() pinned {
	p := pinned{SQL: o.sql, Zone: o.zone.String(), Operators: []pinnedOp{}, Sources: []pinnedSource{}, Sinks: []pinnedSink{}}
	for _, op := range o.cfg.Graph.Ops {
		p.Operators = append(p.Operators, pinnedOp{op.ID, op.Name, op.Summary()})
	}
	for _, in := range o.cfg.Inputs {
		r := in.Scans[0].Plan.Relation
		s := pinnedSource{Name: r.Name, Connector: r.Connector, At: in.Source.Description(), Columns: []string{}, Partition: r.Partition}
		for _, c := range r.Columns {
			s.Columns = append(s.Columns, c.Name+" "+c.Type.String())
		}
		p.Sources = append(p.Sources, s)
	}
	for _, out := range o.plan.Outputs {
		s := pinnedSink{Name: out.Name, Mode: out.Mode.String(), Columns: []string{}}
		if out.Target == physical.ToSink {
			s.Connector = out.Sink.Connector
			if c, ok := o.e.opt.Builtin.Sink(s.Connector); ok && !c.Ephemeral {
				s.Format, s.Partition = strings.ToLower(out.Sink.Format), partitionOf(out.Sink)
			}
		}
		for _, c := range out.OutputColumns() {
			s.Columns = append(s.Columns, c.Name+" "+c.Type.String())
		}
		p.Sinks = append(p.Sinks, s)
	}
	return p
}

// partitionOf is how a sink cuts its rows into directories, by clause or by option.
func partitionOf(s *catalog.Sink) []string {
	if v, ok := option.Find(s.Options, "partition_by"); ok && len(s.PartitionNames) == 0 {
		return []string{v.Text}
	}
	return s.PartitionNames
}

// compare lists every difference that a restart must not have.
func (o *opening) compare(before, now pinned) error {
	var diffs []string
	if before.Zone != now.Zone {
		diffs = append(diffs, fmt.Sprintf("the time zone was %s and is %s: SET timezone = '%s'", before.Zone, now.Zone, before.Zone))
	}
	diffs = append(diffs, o.compareOps(before, now)...)
	diffs = append(diffs, compareSources(before, now)...)
	diffs = append(diffs, compareSinks(before, now, o.plan.AdoptSink)...)
	if len(diffs) == 0 {
		return nil
	}
	return otherQueryError("checkpoint %s was made by another query:\n  - %s\nthe query was:\n%s\nrun that query again, or give this one a checkpoint of its own with WITH (checkpoint = '…')",
		o.cfg.Journal.Dir.Dir(), strings.Join(diffs, "\n  - "), indent(before.SQL))
}

// otherQueryError is an error that no restart heals.
func otherQueryError(format string, args ...any) error {
	return otherQuery{fmt.Errorf(format, args...)}
}

type otherQuery struct{ error }

// Is implements errors.Is.
func (otherQuery) Is(target error) bool { return target == errOtherQuery }

func (o *opening) compareOps(before, now pinned) (diffs []string) {
	lost := missing(before.Operators, now.Operators)
	added := missing(now.Operators, before.Operators)
	if !o.plan.DropState {
		for _, op := range lost {
			diffs = append(diffs, fmt.Sprintf("the state of %s would be lost (WITH (drop_state = true) allows that)", op.Text))
		}
	}
	if !o.plan.AllowNewState {
		for _, op := range added {
			diffs = append(diffs, fmt.Sprintf("%s is new and would begin without state (WITH (allow_new_state = true) allows that)", op.Text))
		}
	}
	return diffs
}

func missing(from, in []pinnedOp) (out []pinnedOp) {
	for _, op := range from {
		if !slices.ContainsFunc(in, func(x pinnedOp) bool { return x.ID == op.ID }) {
			out = append(out, op)
		}
	}
	return out
}

func compareSources(before, now pinned) (diffs []string) {
	for _, s := range before.Sources {
		i := slices.IndexFunc(now.Sources, func(x pinnedSource) bool { return x.Name == s.Name })
		switch {
		case i < 0:
			diffs = append(diffs, fmt.Sprintf("source %q is not read any more", s.Name))
		case now.Sources[i].Connector != s.Connector:
			diffs = append(diffs, fmt.Sprintf("source %q was read through %s and is read through %s", s.Name, s.Connector, now.Sources[i].Connector))
		case s.Connector == "file" && now.Sources[i].At != s.At:
			diffs = append(diffs, fmt.Sprintf("source %q was read from %s and is read from %s: what is there would count as new", s.Name, s.At, now.Sources[i].At))
		case !slices.Equal(now.Sources[i].Partition, s.Partition):
			diffs = append(diffs, fmt.Sprintf("source %q was partitioned by %s and is partitioned by %s", s.Name, namesOf(s.Partition), namesOf(now.Sources[i].Partition)))
		}
	}
	for _, s := range now.Sources {
		if !slices.ContainsFunc(before.Sources, func(x pinnedSource) bool { return x.Name == s.Name }) {
			diffs = append(diffs, fmt.Sprintf("source %q is new", s.Name))
		}
	}
	return diffs
}

func compareSinks(before, now pinned, adopt bool) (diffs []string) {
	if len(before.Sinks) != len(now.Sinks) {
		return []string{fmt.Sprintf("the query had %d outputs and has %d", len(before.Sinks), len(now.Sinks))}
	}
	for i, s := range before.Sinks {
		n := now.Sinks[i]
		if (s.Name != n.Name || s.Connector != n.Connector) && !adopt {
			diffs = append(diffs, fmt.Sprintf("the output was %s and is %s (WITH (adopt_sink = true) goes on there from the next batch)", s.Name, n.Name))
		}
		if s.Format != n.Format && s.Connector == n.Connector {
			diffs = append(diffs, fmt.Sprintf("the format of output %s was %s and is %s", s.Name, s.Format, n.Format))
		}
		if !slices.Equal(s.Partition, n.Partition) && s.Connector == n.Connector {
			diffs = append(diffs, fmt.Sprintf("output %s was partitioned by %s and is partitioned by %s", s.Name, namesOf(s.Partition), namesOf(n.Partition)))
		}
		if s.Mode != n.Mode {
			diffs = append(diffs, fmt.Sprintf("the output mode was %s and is %s", s.Mode, n.Mode))
		}
		if !slices.Equal(s.Columns, n.Columns) {
			diffs = append(diffs, fmt.Sprintf("the output columns were (%s) and are (%s)", strings.Join(s.Columns, ", "), strings.Join(n.Columns, ", ")))
		}
	}
	return diffs
}

func indent(s string) string { return "  " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n  ") }

// namesOf lists columns for a message.
func namesOf(columns []string) string {
	if len(columns) == 0 {
		return "nothing"
	}
	return "(" + strings.Join(columns, ", ") + ")"
}
