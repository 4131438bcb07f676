package oracle

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
)

// A recorded row that is changed, lost or doubled must make its case fail, whatever
// the rules of deviation are.
func TestTamperedCasesFail(t *testing.T) {
	dir := folder()
	if dir == "" {
		return
	}
	tampers := map[string]func(*Batch) bool{"changed": change, "lost": lose, "doubled": double}
	cases, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	names := sortedKeys(tampers)
	for i, file := range cases {
		how := names[i%len(names)]
		c, err := read(file)
		if err != nil {
			t.Fatal(err)
		}
		if !c.ansi() && how == "changed" {
			continue // what stands where we have NULL is Spark's own: D22
		}
		if c.sparkFails() || !tamper(c, tampers[how]) {
			continue
		}
		t.Run(c.Name+" "+how, func(t *testing.T) {
			if v := Run(context.Background(), c, t.TempDir()); v.Kind != Failed && v.Kind != NotYet {
				t.Errorf("a row is %s, and the verdict is %s", how, v)
			}
		})
	}
}

// tamper changes the last batch that has something to change.
func tamper(c *Case, how func(*Batch) bool) bool {
	for i := len(c.Batches) - 1; i >= 0; i-- {
		if how(&c.Batches[i]) {
			return true
		}
	}
	return false
}

func change(b *Batch) bool {
	for _, r := range b.Rows {
		for _, k := range sortedKeys(r) {
			switch x := r[k].(type) {
			case json.Number:
				r[k] = json.Number("7" + x.String()[len(x.String())-1:] + "77")
				return true
			case bool:
				r[k] = !x
				return true
			}
		}
	}
	return false
}

func lose(b *Batch) bool {
	if len(b.Rows) == 0 {
		return false
	}
	b.Rows = b.Rows[1:]
	return true
}

func double(b *Batch) bool {
	if len(b.Rows) == 0 {
		return false
	}
	b.Rows = append(b.Rows, b.Rows[0])
	return true
}
