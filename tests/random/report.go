package random

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/incremental/reference"
)

// Report is a failure as a golden test file, to be finished by hand: the expected tables
// are not written, what went wrong stands above.
func (c *Case) Report(f *Failure) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# seed %d, %d workers, mode %s: %s at trigger %d\n", c.Seed, c.Workers, c.Mode, f.Kind, f.Step)
	if c.Without != "" {
		fmt.Fprintf(&b, "# planned without the rewrite rule %s\n", c.Without)
	}
	for _, line := range strings.Split(f.Text, "\n") {
		b.WriteString("# " + line + "\n")
	}
	b.WriteString("setup\n" + strings.TrimSuffix(c.setup(), "\n") + "\n")
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			parts := make([]string, len(row))
			for i, v := range row {
				parts[i] = Literal(tableColumns()[i].kind, v)
			}
			fmt.Fprintf(&b, "INSERT INTO %s VALUES (%s);\n", t.Name, strings.Join(parts, ", "))
		}
	}
	sql, _ := c.Query.SQL(Ours)
	fmt.Fprintf(&b, "\nquery q mode=%s\n%s\n", c.Mode, sql)
	steps := c.Steps
	if c.Mode == sink.Append {
		steps = append(steps[:len(steps):len(steps)], c.farFuture())
	}
	for _, s := range steps {
		c.trigger(&b, s)
	}
	return b.String()
}

func (c *Case) trigger(b *strings.Builder, s Step) {
	b.WriteString("\ntrigger\n")
	for i, src := range c.Sources {
		if len(s.Changes[i]) == 0 {
			continue
		}
		b.WriteString(src.Name + "\n")
		var names []string
		if src.Changelog {
			names = append(names, "op")
		}
		for _, col := range sourceColumns() {
			names = append(names, col.name)
		}
		b.WriteString(strings.Join(names, " | ") + "\n")
		for _, ch := range s.Changes[i] {
			b.WriteString(cells(src, ch) + "\n")
		}
	}
	if s.Restart {
		b.WriteString("\nrestart\n")
	}
}

func cells(src Source, ch reference.Change) string {
	var parts []string
	if src.Changelog {
		parts = append(parts, map[bool]string{true: "+", false: "-"}[ch.Weight > 0])
	}
	for i, col := range sourceColumns() {
		parts = append(parts, cell(col.kind, ch.Values[i]))
	}
	return strings.Join(parts, " | ")
}

// cell writes a value as golden files do.
func cell(k Kind, v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		if v == "" {
			return "''"
		}
		return v
	case float64:
		if math.Signbit(v) && v == 0 {
			return "-0.0"
		}
		return fmt.Sprint(v)
	case []any:
		text, err := json.Marshal(v)
		if err != nil {
			return err.Error()
		}
		return string(text)
	case int64:
		switch k {
		case Dec:
			return decimalText(v)
		case Time:
			return timeText(v)
		}
	}
	return fmt.Sprint(v)
}
