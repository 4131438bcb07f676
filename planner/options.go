package planner

import (
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// QuerySpecs describe the options of a continuous query.
func QuerySpecs() []option.Spec {
	return []option.Spec{
		{Name: "name", Aliases: []string{"query_name"}, Type: option.Text, Doc: "Name of the query; default: that of the sink or view."},
		{Name: "checkpoint", Aliases: []string{"checkpoint_location"}, Type: option.Text, Doc: "Directory of the checkpoint."},
		{Name: "output_mode", Type: option.Enum, Values: []string{"append", "update", "complete", "changelog"}, Doc: "As EMIT."},
		{Name: "adopt_sink", Type: option.Bool, Default: "false", Doc: "Takes over a sink that belongs to another query or another checkpoint: what it holds stays, and the rows of this query are added."},
		{Name: "allow_new_state", Type: option.Bool, Default: "false", Doc: "A changed query may start operators with empty state."},
		{Name: "drop_state", Type: option.Bool, Default: "false", Doc: "A changed query may drop the state of operators that it lost."},
		{Name: "restart", Type: option.Enum, Values: []string{"no", "on_failure", "always"}, Default: "no",
			Doc: "Whether the query is started again, on its checkpoint, when it fails; with always also when it has ended by itself. What another attempt would meet again (an error in SQL or in a row, a checkpoint or sink of another query) ends it all the same."},
		{Name: "restart_attempts", Type: option.Int, Max: 1_000_000, Default: "10", Doc: "After how many starts in a row that gave no micro-batch the query has failed; 0 = never."},
		{Name: "restart_delay", Type: option.Duration, Min: 1000, Default: "1 second", Doc: "How long to wait before it is started again; each time in a row twice as long, up to a minute."},
		{Name: "trigger", Type: option.Text, Doc: "As TRIGGER: a duration such as '5 seconds', 'available now', 'once' or 'manual'."},
		{Name: "allow_unbounded_state", Type: option.Bool, Default: "true", Doc: "Refuses plans whose state grows for ever when false."},
	}
}

// queryOptions are the decoded options of a query.
type queryOptions struct {
	name, checkpoint                string
	mode                            ast.EmitMode
	modeSpan                        diag.Span
	adopt, allowNewState, dropState bool
	refuseUnbounded                 bool
	trigger                         *ast.Trigger // nil = not in WITH
	restart                         physical.Restart
}

// readOptions decodes WITH (…) behind the query. EMIT and output_mode must agree.
func (p *planner) readOptions(list []ast.Option) {
	p.opts.refuseUnbounded = p.set.RefuseUnbounded
	p.opts.mode = p.set.Mode
	d, err := option.Decode(QuerySpecs(), bind.Options(list))
	if err != nil {
		p.adopt(err)
		return
	}
	o := &p.opts
	o.name, o.checkpoint = d.Text("name"), d.Text("checkpoint")
	o.adopt, o.allowNewState, o.dropState = d.Bool("adopt_sink"), d.Bool("allow_new_state"), d.Bool("drop_state")
	o.restart = physical.Restart{Policy: physical.RestartPolicy(d.Enum("restart")), Attempts: d.Int("restart_attempts"),
		Delay: time.Duration(d.Micros("restart_delay")) * time.Microsecond}
	if d.Has("allow_unbounded_state") {
		o.refuseUnbounded = !d.Bool("allow_unbounded_state")
	}
	if d.Text("trigger") != "" {
		p.readTrigger(d.Text("trigger"), d.Span("trigger"))
	}
	if text := d.Enum("output_mode"); text != "" {
		o.mode, o.modeSpan = modeOf(text), d.Span("output_mode")
	}
	if p.emit == nil || p.emit.Mode == ast.EmitDefault {
		return
	}
	if d.Has("output_mode") && o.mode != p.emit.Mode {
		p.errorf(diag.OptionConflict, o.modeSpan, "output_mode is %s, but EMIT says %s", o.mode, p.emit.Mode)
	}
	o.mode, o.modeSpan = p.emit.Mode, p.emit.ModeSpan
}

// readTrigger reads the option trigger.
func (p *planner) readTrigger(text string, at diag.Span) {
	if p.emit != nil && p.emit.Trigger != nil {
		p.errorf(diag.OptionConflict, at, "the trigger is given twice: as an option and as TRIGGER")
		return
	}
	t := &ast.Trigger{Span: at}
	switch strings.ToLower(strings.ReplaceAll(text, "_", " ")) {
	case "available now":
		t.Kind = ast.TriggerAvailableNow
	case "once":
		t.Kind = ast.TriggerOnce
	case "manual":
		t.Kind = ast.TriggerManual
	default:
		d, err := option.Decode([]option.Spec{{Name: "trigger", Type: option.Duration}}, []option.Value{{Name: "trigger", Text: text, Span: at}})
		if err != nil {
			p.errorf(diag.BadOptionValue, at, "option \"trigger\" is %q, expected a duration such as '5 seconds', 'available now', 'once' or 'manual'", text)
			return
		}
		t.Kind, t.Every = ast.TriggerEvery, &ast.Interval{Span: at, Micros: d.Micros("trigger")}
	}
	p.opts.trigger = t
}

func modeOf(text string) ast.EmitMode {
	for m := ast.EmitAppend; m <= ast.EmitChangelog; m++ {
		if m.String() == text {
			return m
		}
	}
	return ast.EmitDefault
}
