package repl

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/trigger"
)

// JSONProgress prints the record of every trigger, one object a line.
type JSONProgress struct {
	mu sync.Mutex
	w  io.Writer
}

// NewJSONProgress returns a listener that writes to w.
func NewJSONProgress(w io.Writer) *JSONProgress { return &JSONProgress{w: w} }

// QueryStarted implements engine.Listener.
func (*JSONProgress) QueryStarted(*engine.Query) {}

// QueryProgress implements engine.Listener.
func (j *JSONProgress) QueryProgress(_ *engine.Query, p *trigger.Progress) {
	line, err := json.Marshal(p)
	if err != nil {
		line = fmt.Appendf(nil, `{"error":%q}`, err.Error())
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.w.Write(append(line, '\n')) //nolint:errcheck // nobody is left to tell
}

// QueryIdle implements engine.Listener.
func (*JSONProgress) QueryIdle(*engine.Query) {}

// QueryTerminated implements engine.Listener.
func (*JSONProgress) QueryTerminated(*engine.Query, error) {}

// StatusLine shows the last trigger on one line of a terminal, which it rewrites.
// Whatever else is written to the terminal must go through Around.
type StatusLine struct {
	mu    sync.Mutex
	w     io.Writer
	width func() int
	line  string
}

// NewStatusLine returns a listener that draws on the terminal w; width is its number of
// columns now.
func NewStatusLine(w io.Writer, width func() int) *StatusLine { return &StatusLine{w: w, width: width} }

// clearLine moves to the first column and clears the line.
const clearLine = "\r\x1b[K"

// QueryStarted implements engine.Listener.
func (s *StatusLine) QueryStarted(*engine.Query) {}

// QueryProgress implements engine.Listener.
func (s *StatusLine) QueryProgress(q *engine.Query, p *trigger.Progress) { s.draw(Summary(q.Name, p)) }

// QueryIdle implements engine.Listener.
func (s *StatusLine) QueryIdle(*engine.Query) {}

// QueryTerminated implements engine.Listener.
func (s *StatusLine) QueryTerminated(*engine.Query, error) { s.draw("") }

func (s *StatusLine) draw(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if line == s.line {
		return
	}
	if r := []rune(line); len(r) > s.width()-1 {
		line = string(r[:max(s.width()-1, 0)])
	}
	s.line = line
	io.WriteString(s.w, clearLine+line) //nolint:errcheck // a status line may be lost
}

// Around is w with the status line taken away while something is written.
func (s *StatusLine) Around(w io.Writer) io.Writer { return &around{s, w} }

type around struct {
	s *StatusLine
	w io.Writer
}

// Write implements io.Writer.
func (a *around) Write(p []byte) (int, error) {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	if a.s.line == "" {
		return a.w.Write(p)
	}
	io.WriteString(a.s.w, clearLine) //nolint:errcheck // a status line may be lost
	n, err := a.w.Write(p)
	if len(p) > 0 && p[len(p)-1] == '\n' {
		io.WriteString(a.s.w, a.s.line) //nolint:errcheck // a status line may be lost
	} else {
		a.s.line = ""
	}
	return n, err
}

// Summary is a trigger in a few words: rate, watermark, state, what was refused.
func Summary(name string, p *trigger.Progress) string {
	parts := []string{fmt.Sprintf("%s batch %d", name, p.BatchID), short(p.ProcessedRate) + " rows/s"}
	if p.EventTime != nil && p.EventTime.Watermark != "" {
		parts = append(parts, "watermark "+strings.TrimSuffix(strings.Replace(p.EventTime.Watermark, "T", " ", 1), ".000Z"))
	}
	var keys, bytes int64
	for _, o := range p.Operators {
		keys, bytes = keys+o.Total, bytes+o.Memory
	}
	if len(p.Operators) > 0 {
		parts = append(parts, fmt.Sprintf("state %s keys %sB", short(float64(keys)), short(float64(bytes))))
	}
	for _, c := range []struct {
		what string
		n    int64
	}{{"late", p.Rows.Late}, {"bad", p.Rows.Bad}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", c.what, c.n))
		}
	}
	return strings.Join(parts, "  ")
}

// short is a number of three digits or so: 950, 12.3k, 4.5M.
func short(x float64) string {
	for _, unit := range []string{"", "k", "M", "G"} {
		if x < 1000 || unit == "G" {
			if unit == "" || x >= 100 {
				return fmt.Sprintf("%.0f%s", x, unit)
			}
			return fmt.Sprintf("%.1f%s", x, unit)
		}
		x /= 1000
	}
	return ""
}
