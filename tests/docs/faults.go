package docs

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/source"
)

// faultTolerance is the table of what a crash does to each source and sink, from what
// they declare.
func faultTolerance(w *page, r *builtin.Registry) error {
	w.line("A query with a checkpoint logs what each micro-batch takes before it reads it, and the result of the batch before a sink shows any of it. " +
		"After a crash a logged result is published again as it was; a batch without one runs again over the same range ([recovery](../semantics/recovery.md)). " +
		"So what a batch has taken counts exactly once in the state of a query, except where a source says otherwise; what a reader of the output sees is up to the sink.")
	w.line("")
	w.line("## Sources")
	w.line("")
	w.line("| source | read again | deletions | after a crash |")
	w.line("|---|---|---|---|")
	for _, name := range r.SourceNames() {
		c, _ := r.Source(name)
		w.line("| [%s](sources.md#%s) | %s | %s | %s |", c.Name, c.Name, pick(c.Replayable, "yes", "no"), deletions(c, r), cell(sourceRecovery(c)))
	}
	w.line("")
	w.line("Read again: the range of a batch can be read a second time from outside. Deletions: rows can be taken back (`changelog = true`).")
	w.line("")
	w.line("## Sinks")
	w.line("")
	w.line("| sink | guarantee | an older process | removed keys | modes | after a crash |")
	w.line("|---|---|---|---|---|---|")
	for _, name := range r.SinkNames() {
		c, _ := r.Sink(name)
		w.line("| [%s](sinks.md#%s) | %s | %s | %s | %s | %s |", c.Name, c.Name, guarantee(c), fenced(c), removed(c), modesOf(c), cell(sinkRecovery(c)))
	}
	w.line("")
	w.line("An older process: one that goes on, after a pause or cut off from its disk, although a newer one has taken over its checkpoint. " +
		"Refused: it cannot write any more, and fails saying so. The lock of the checkpoint stops a second process on the same machine in any case. " +
		"Removed keys: what update mode does at this sink; see on_delete.")
	return nil
}

func deletions(c *source.Connector, r *builtin.Registry) string {
	switch {
	case c.Weights || c.Tombstones:
		return "yes"
	case hasOption(c, "format"):
		return "by [format](formats.md)"
	}
	return "no"
}

func hasOption(c *source.Connector, name string) bool {
	for _, s := range c.Options {
		if s.Name == name {
			return true
		}
	}
	return false
}

func sourceRecovery(c *source.Connector) string {
	switch {
	case c.Recovery != "":
		return c.Recovery
	case c.Replayable:
		return "The logged range is read again."
	}
	return "Its rows are kept in the checkpoint until their batch is done."
}

func guarantee(c *sink.Connector) string {
	return pick(c.Guarantee == sink.ExactlyOnce, "exactly once", "at least once")
}

func fenced(c *sink.Connector) string {
	switch {
	case c.Ephemeral:
		return "has an output of its own"
	case c.Guarantee == sink.ExactlyOnce:
		return "refused"
	}
	return "may repeat its last batch"
}

func sinkRecovery(c *sink.Connector) string {
	switch {
	case c.Recovery != "":
		return c.Recovery
	case c.Ephemeral:
		return "The output is gone with the program; a query that writes only here starts from the beginning."
	case c.Guarantee == sink.ExactlyOnce:
		return "The last batch is published again if the sink does not hold it."
	}
	return "The last batch may be published again, with the same rows and the same number."
}

// removed is what update mode does with keys that are gone.
func removed(c *sink.Connector) string {
	switch {
	case c.Modes[sink.Update] == "":
		return "no update mode"
	case c.Deletes:
		return "deleted"
	}
	return "refused, or ignored"
}

func modesOf(c *sink.Connector) string {
	var out []string
	for _, m := range []sink.Mode{sink.Append, sink.Update, sink.Complete, sink.Changelog} {
		if c.Modes[m] != "" {
			out = append(out, m.String())
		}
	}
	return strings.Join(out, ", ")
}
