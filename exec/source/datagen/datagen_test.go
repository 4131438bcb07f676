package datagen_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/source/datagen"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

var start = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

func config(columns string, opts ...string) source.Config {
	c := source.Config{Name: "g", Clock: clock.NewFake(start), Zone: time.UTC, Finite: true}
	kinds := map[string]types.Type{"int": types.Of(types.Int64), "small": types.Of(types.Int16), "text": types.Of(types.String), "yes": types.Of(types.Bool),
		"real": types.Of(types.Float64), "day": types.Of(types.Date), "at": types.Of(types.Timestamp), "money": types.DecimalOf(10, 2)}
	for _, x := range strings.Fields(columns) {
		name, kind, _ := strings.Cut(x, ":")
		c.Columns = append(c.Columns, source.Column{Column: types.Column{Name: name, Type: kinds[kind]}})
	}
	for i := 0; i < len(opts); i += 2 {
		c.Options = append(c.Options, option.Value{Name: opts[i], Text: opts[i+1]})
	}
	return c
}

// rows reads columns of all rows.
func rows(t *testing.T, c source.Config, need ...int) [][]string {
	t.Helper()
	s, err := datagen.Connector().Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for {
		r, ok, err := s.Plan(context.Background(), source.Limits{Rows: 3000}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return out
		}
		splits, err := s.Splits(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		for _, sp := range splits {
			err := sp.Read(context.Background(), source.Reading{Need: need}, func(b *vec.Batch) error {
				for row := range b.N {
					cells := make([]string, len(need))
					for i, col := range b.Cols {
						cells[i] = vec.RowString(col, row, time.UTC)
					}
					out = append(out, cells)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

const columns = "id:int kind:text name:text price:money x:real ok:yes d:day at:at n:small"

const rules = `id: sequence from 10 step 5; kind: choice view:8, buy:2, "a; b":0; name: string 3 to 12; price: random 1.50 to 2.25 null 0.25;
	x: random -1 to 1; at: time jitter 2s late 0.1 by 1h; n: random 7 to 7`

func TestRules(t *testing.T) {
	got := rows(t, config(columns, "rules", rules, "number_of_rows", "10000", "rows_per_second", "10000"), 0, 1, 2, 3, 4, 5, 6, 7, 8)
	if len(got) != 10000 {
		t.Fatal(len(got))
	}
	n := map[string]int{}
	for i, r := range got {
		if r[0] != fmt.Sprint(10+5*i) || r[8] != "7" {
			t.Fatalf("row %d is %v", i, r)
		}
		n[r[1]]++
		n["ok "+r[5]]++
		if l := len(r[2]); l < 3 || l > 12 {
			t.Fatalf("name %q", r[2])
		}
		if r[3] == "NULL" {
			n["null"]++
		} else if p, err := strconv.ParseFloat(r[3], 64); err != nil || p < 1.5 || p > 2.25 {
			t.Fatalf("price %s", r[3])
		}
		at, err := time.Parse("2006-01-02 15:04:05", r[7])
		if err != nil {
			t.Fatal(err)
		}
		behind := start.Add(time.Duration(i) * 100 * time.Microsecond).Sub(at)
		switch {
		case behind >= time.Hour && behind <= time.Hour+2*time.Second:
			n["late"]++
		case behind < 0 || behind > 2*time.Second:
			t.Fatalf("row %d is %s behind", i, behind)
		}
	}
	for what, share := range map[string]float64{"view": 0.8, "buy": 0.2, "null": 0.25, "late": 0.1, "ok true": 0.5} {
		if x := float64(n[what]) / 10000; x < share-0.03 || x > share+0.03 {
			t.Errorf("%s: %.3f of the rows, want about %.2f", what, x, share)
		}
	}
	if n["a; b"] != 0 {
		t.Error("a choice of weight 0 was taken")
	}
}

// A row is decided by the seed and its number, whatever else is read, and however the rows
// are cut.
func TestRowsAreTheSameAgain(t *testing.T) {
	all := []string{"rules", rules, "number_of_rows", "5000", "seed", "7"}
	a := rows(t, config(columns, all...), 1, 2, 3)
	b := rows(t, config(columns, append(all, "num_partitions", "7")...), 1, 2, 3)
	alone := rows(t, config(columns, all...), 2)
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Error("another cut gave other rows")
	}
	for i := range a {
		if a[i][1] != alone[i][0] {
			t.Fatalf("row %d: %s, and %s when it is read alone", i, a[i][1], alone[i][0])
		}
	}
	if fmt.Sprint(a) == fmt.Sprint(rows(t, config(columns, append(all[:4:4], "seed", "8")...), 1, 2, 3)) {
		t.Error("another seed gave the same rows")
	}
}

func TestStartIsFixed(t *testing.T) {
	c := config("at:at", "number_of_rows", "3", "rows_per_second", "2", "start_timestamp", "2020-02-03 04:05:06")
	if got := fmt.Sprint(rows(t, c, 0)); got != "[[2020-02-03 04:05:06] [2020-02-03 04:05:06.5] [2020-02-03 04:05:07]]" {
		t.Error(got)
	}
}

func TestRefused(t *testing.T) {
	for rules, want := range map[string]string{
		"id":                         `"id" is not 'column: rule'`,
		"idd: random":                `there is no column "idd"`,
		"id: random; id: random":     `column "id" has two rules`,
		"id: often":                  `unknown rule "often"`,
		"id: random 5":               "random has a smallest and a greatest value",
		"id: random 9 to 1":          "9 is greater than 1",
		"id: random 1 to 2 3":        `"3" is not understood`,
		"id: random 1 to 2 null 1.5": `"1.5" is not a share`,
		"id: choice a":               `"a" is not a BIGINT`,
		"kind: choice a:0":           "the weights of a choice add up to 0",
		"kind: choice a:-1":          `"-1" is not a weight`,
		"kind: random":               "a random text is written",
		"kind: string 5 to 2":        "lengths are from 0",
		"kind: sequence":             "a sequence is of whole numbers",
		"at: time late 0.1":          `"" is not a duration`,
		"id: time":                   "time is for TIMESTAMP columns",
	} {
		_, err := datagen.Connector().Open(context.Background(), config(columns, "rules", rules, "number_of_rows", "1"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", rules, err, want)
		}
	}
	for _, opts := range [][]string{{}, {"rows_per_second", "1"}, {"number_of_rows", "1", "start_timestamp", "soon"}} {
		if _, err := datagen.Connector().Open(context.Background(), config(columns, opts...)); err == nil {
			t.Errorf("%v was taken", opts)
		}
	}
}
