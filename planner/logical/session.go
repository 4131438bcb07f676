package logical

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Session appends the bounds of its session to each row. A row covers [Time, End); rows
// of one partition whose stretches overlap are one session, and so are those that
// overlap with these: it lasts from the least Time to the greatest End. Stretches that
// only touch are two sessions. The input has no rows without a Time, and none whose End
// is not after it.
type Session struct {
	Input     Node
	Time, End expr.Node // over the input, of one time type
	Partition []expr.Node
}

// Schema implements Node.
func (s *Session) Schema() []types.Column {
	out := append([]types.Column(nil), s.Input.Schema()...)
	return append(out, types.Column{Name: "window_start", Type: s.Time.Type()}, types.Column{Name: "window_end", Type: s.Time.Type()})
}

// Start is the column of the session's start; its end is the next one.
func (s *Session) Start() int { return Width(s.Input) }

// Children implements Node.
func (s *Session) Children() []Node { return []Node{s.Input} }

// WithChildren implements Node.
func (s *Session) WithChildren(k []Node) Node {
	c := *s
	c.Input = k[0]
	return &c
}

// Describe implements Node.
func (s *Session) Describe() string {
	text := fmt.Sprintf("Session %s to %s", s.Time, s.End)
	if len(s.Partition) > 0 {
		text += " by (" + exprList(s.Partition) + ")"
	}
	return text
}
