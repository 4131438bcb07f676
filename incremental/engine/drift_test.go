package engine_test

import (
	"fmt"
	"strings"
	"testing"
)

// Files that carry a schema are read by the names of their columns; how they differ from the
// declaration stands in the progress.
func TestSchemaDifferences(t *testing.T) {
	for _, format := range []string{"parquet", "avro"} {
		w := newWorld(t)
		write := func(i int, sql string) {
			w.must(fmt.Sprintf("CREATE SINK s%d WITH (connector = 'file', path = 'in/%d', format = '%s'); CREATE TABLE one%d (x INT); INSERT INTO one%d VALUES (1); INSERT INTO s%d %s FROM one%d; AWAIT ALL", i, i, format, i, i, i, sql, i))
		}
		write(0, "SELECT CAST(1 AS BIGINT) AS a, 'x' AS b")
		write(1, "SELECT 'y' AS b, 2.5 AS d, CAST(2 AS INT) AS A")
		write(2, "SELECT CAST(3 AS BIGINT) AS a")
		write(3, "SELECT CAST(4 AS BIGINT) AS a")
		w.must(fmt.Sprintf(`CREATE SOURCE f (a BIGINT, b STRING) WITH (connector = 'file', path = 'in/*/*.%s', format = '%s', max_files_per_trigger = 1); CREATE SINK mem WITH (connector = 'memory');
			INSERT INTO mem SELECT a, b FROM f TRIGGER AVAILABLE NOW; AWAIT ALL`, format, format))
		w.gives("SELECT a, b FROM mem ORDER BY a", "1 x", "2 y", "3 NULL", "4 NULL")
		var got []string
		for _, d := range w.query("mem").LastProgress().Sources[0].Drifts {
			got = append(got, fmt.Sprintf("%s, first in %.5s, of %d", d.What, d.First, d.Files))
		}
		want := []string{
			`column "a" is INT and read as BIGINT, first in /in/1, of 1`,
			`column "d" DECIMAL(2,1) is not declared and left out, first in /in/1, of 1`,
			`column "b" STRING is missing and read as NULL, first in /in/2, of 2`,
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", format, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
