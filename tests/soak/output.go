package soak

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/format/sinklog"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Rows are the rows of a sink, sorted: through its log, and through the plain directory.
func Rows(dir string) (logged, plain []string, err error) {
	files, _, err := sinklog.Open(vfs.OS(), dir).Files()
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		rows, err := read(filepath.Join(dir, f.Name))
		if err != nil {
			return nil, nil, err
		}
		if int64(len(rows)) != f.Rows {
			return nil, nil, fmt.Errorf("%s has %d rows, the log says %d", f.Name, len(rows), f.Rows)
		}
		logged = append(logged, rows...)
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), "_") || strings.HasPrefix(d.Name(), ".")
		if err != nil || d.IsDir() || hidden {
			if d.IsDir() && hidden {
				return fs.SkipDir
			}
			return err
		}
		rows, err := read(path)
		plain = append(plain, rows...)
		return err
	})
	slices.Sort(logged)
	slices.Sort(plain)
	return logged, plain, err
}

// read reads a file of JSON lines.
func read(path string) ([]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rows []string
	for line := range bytes.Lines(data) {
		row, err := Line(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Line is a row of JSON as Input.Answer writes it; times are numbers of microseconds.
func Line(object []byte) (string, error) {
	cells, err := cells(object)
	return strings.Join(cells, "|"), err
}

func cells(line []byte) ([]string, error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var out []string
	for n := 0; ; n++ {
		tok, err := dec.Token()
		if err != nil {
			return nil, err
		}
		if tok == json.Delim('}') {
			return out, nil
		}
		if n == 0 || n%2 == 1 { // the brace, keys
			continue
		}
		text := fmt.Sprint(tok)
		if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
			text = strconv.FormatInt(t.UnixMicro(), 10)
		}
		out = append(out, text)
	}
}

// Part demands that got, sorted, is part of want: no row that the answer does not have,
// none twice.
func Part(got, want []string) error {
	i := 0
	for _, row := range got {
		for i < len(want) && want[i] < row {
			i++
		}
		if i == len(want) || want[i] != row {
			return fmt.Errorf("a row is wrong, or there once too often: %.100s", row)
		}
		i++
	}
	return nil
}
