package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Case is a recorded case: its input half and what Spark did.
type Case struct {
	Name      string            `json:"name"`
	Kind      string            `json:"kind"`
	Notes     string            `json:"notes"`
	Sources   []*Source         `json:"sources"`
	Steps     []Step            `json:"steps"`
	SQL       string            `json:"spark_sql"`
	Mode      string            `json:"mode"`
	Conf      map[string]string `json:"conf"`
	Pacing    string            `json:"pacing"`
	Ordered   bool              `json:"ordered"`
	Schema    [][2]string       `json:"output_schema"`
	Batches   []Batch           `json:"batches"`
	Error     *string           `json:"error"`
	Phase     string            `json:"error_phase"`
	Condition string            `json:"error_class"`
	invalid   error
}

// Source is an input.
type Source struct {
	Name      string      `json:"name"`
	Schema    [][2]string `json:"schema"`
	Watermark *struct {
		Column string `json:"column"`
		Delay  string `json:"delay"`
	} `json:"watermark"`
	Static  bool               `json:"static"`
	Batches [][]map[string]any `json:"batches"`
}

// Step makes a view before the query.
type Step struct {
	View   string   `json:"view"`
	SQL    string   `json:"sql"`
	From   string   `json:"from"`
	API    string   `json:"api"`
	Column string   `json:"column"`
	Delay  string   `json:"delay"`
	Cols   []string `json:"cols"`
	N      int      `json:"n"`
}

// Batch is what came out of one.
type Batch struct {
	NoData      bool             `json:"no_data"`
	WatermarkMs *int64           `json:"watermark_ms"`
	Rows        []map[string]any `json:"rows"`
	Late        int64            `json:"dropped_late"`
}

// Load reads the cases of a folder, by name.
func Load(dir string) ([]*Case, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var out []*Case
	for _, f := range files {
		c, err := read(f)
		if err != nil {
			c = &Case{Name: strings.TrimSuffix(filepath.Base(f), ".json"), Kind: "unreadable", invalid: err}
		}
		out = append(out, c)
	}
	return out, nil
}

func read(file string) (*Case, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c := &Case{}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(c); err != nil {
		return nil, fmt.Errorf("case %s: %w", filepath.Base(file), err)
	}
	return c, nil
}

// streams are the sources that are not static.
func (c *Case) streams() []*Source {
	var out []*Source
	for _, s := range c.Sources {
		if !s.Static {
			out = append(out, s)
		}
	}
	return out
}

// triggers is the number of batches that have input.
func (c *Case) triggers() int {
	n := 0
	for _, s := range c.streams() {
		n = max(n, len(s.Batches))
	}
	return n
}

// batch is what a source delivers to trigger i.
func (s *Source) batch(i int) []map[string]any {
	if i < len(s.Batches) {
		return s.Batches[i]
	}
	return nil
}

// sparkFails reports that Spark refused the query or failed.
func (c *Case) sparkFails() bool { return c.Error != nil }

// ansi reports Spark's mode of arithmetic.
func (c *Case) ansi() bool { return c.Conf["spark.sql.ansi.enabled"] != "false" }

// column is the key of an output column in a recorded row.
func (c *Case) column(i int) string {
	name := c.Schema[i][0]
	for _, before := range c.Schema[:i] {
		if before[0] == name {
			return fmt.Sprintf("%s#%d", name, i)
		}
	}
	return name
}
