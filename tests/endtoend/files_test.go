//go:build services

package endtoend

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/sqlstream/sqlstream/tests/soak"
)

func fileSource(w *world) ends {
	in := filepath.Join(w.dir, "in")
	if err := os.MkdirAll(in, 0o755); err != nil {
		w.Fatal(err)
	}
	return ends{
		source: "connector = 'file', format = 'json', path = 'in', max_bytes_per_trigger = '${limit} KiB'",
		feed: func(part int) {
			if err := w.in.Write(in, part); err != nil {
				w.Fatal(err)
			}
		},
	}
}

func fileSink(w *world, format string) ends {
	return ends{
		sink: func(name string) string {
			return "connector = 'file', format = '" + format + "', path = '" + name + "'"
		},
		read: func(sink string) []string {
			dir := filepath.Join(w.dir, sink)
			logged, err := os.ReadDir(filepath.Join(dir, "_spark_metadata"))
			if errors.Is(err, fs.ErrNotExist) || len(logged) == 0 {
				return nil // no batch is published
			}
			if format == "parquet" {
				return readParquet(w, sink)
			}
			rows, plain, err := soak.Rows(dir)
			if err == nil {
				err = soak.Part(rows, plain) // and plain may hold a file that is not logged yet
			}
			if err != nil {
				w.Fatal(err)
			}
			return rows
		},
	}
}

// readParquet lets the program itself read the files, as a table, through the log.
func readParquet(w *world, sink string) []string {
	w.Helper()
	return readTable(w, sink, "connector = 'file', format = 'parquet', path = '"+sink+"'")
}

// readTable lets the program itself read what a sink has written, as a table.
func readTable(w *world, sink, with string) []string {
	w.Helper()
	columns := map[string]string{"counts": "start TIMESTAMP, who STRING, n BIGINT, s BIGINT", "copies": "id BIGINT, v BIGINT, pad STRING"}
	picked := map[string]string{"counts": "unix_micros(start) AS start, who, n, s", "copies": "*"}
	cmd := exec.Command(w.binary, "--output", "jsonl", "-c",
		"CREATE TABLE t ("+columns[sink]+") WITH ("+with+"); SELECT "+picked[sink]+" FROM t")
	cmd.Dir = w.dir
	cmd.Stderr = w.Output()
	out, err := cmd.Output()
	if err != nil {
		w.Fatal(err)
	}
	var rows []string
	for line := range bytes.Lines(out) {
		row, err := soak.Line(line)
		if err != nil {
			w.Fatalf("%v: %s", err, line)
		}
		rows = append(rows, row)
	}
	return rows
}
