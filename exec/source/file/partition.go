package file

import (
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/format/scan"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// hiveNull is the directory name of NULL: key=__HIVE_DEFAULT_PARTITION__.
const hiveNull = "__HIVE_DEFAULT_PARTITION__"

// pinned are the partition keys of a source: fixed by the declaration or by the first
// file taken, and the same for every file after it.
type pinned struct {
	names   []string
	columns []int // index into Config.Columns of each
}

func (p *pinned) has(name string) bool {
	for _, n := range p.names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// pair is one key=value directory of a path.
type pair struct{ key, text string }

// pairs reads the key=value directories above a file. Keys and values are URL-encoded
// as Spark and Hive write them.
func pairs(rel string) []pair {
	var out []pair
	for _, dir := range strings.Split(path.Dir(rel), "/") {
		if key, text, ok := strings.Cut(dir, "="); ok {
			out = append(out, pair{unescape(key), unescape(text)})
		}
	}
	return out
}

func unescape(s string) string {
	if t, err := url.PathUnescape(s); err == nil {
		return t
	}
	return s
}

// declaredKeys are the columns declared as partition columns; nil if there is none.
func declaredKeys(cols []source.Column) *pinned {
	var p *pinned
	for i, c := range cols {
		if c.Partition {
			if p == nil {
				p = &pinned{}
			}
			p.names, p.columns = append(p.names, c.Name), append(p.columns, i)
		}
	}
	return p
}

// keysOf takes the keys from the path of the first file.
func keysOf(rel string, c source.Config) (*pinned, error) {
	p := &pinned{}
	for _, kv := range pairs(rel) {
		i := columnNamed(c.Columns, kv.key)
		if i < 0 {
			return nil, fmt.Errorf("its path has the partition key %q, which is not a column of the source", kv.key)
		}
		if !p.has(kv.key) {
			p.names, p.columns = append(p.names, c.Columns[i].Name), append(p.columns, i)
		}
	}
	return p, nil
}

// columnNamed finds a data column by exact name, else without case; −1 = none.
func columnNamed(cols []source.Column, name string) int {
	folded := -1
	for i, c := range cols {
		if c.Metadata != "" {
			continue
		}
		if c.Name == name {
			return i
		}
		if folded < 0 && strings.EqualFold(c.Name, name) {
			folded = i
		}
	}
	return folded
}

// pin checks the keys of a file's path against those of the source, or fixes them.
func (s *Source) pin(file string) error {
	rel, err := s.rel(file)
	if err != nil {
		return err
	}
	if s.keys == nil {
		keys, err := keysOf(rel, s.cfg)
		if err != nil {
			return fmt.Errorf("file %s: %w", s.show(file), err)
		}
		s.keys = keys
	}
	if err := s.keys.check(rel); err != nil {
		return fmt.Errorf("file %s: %w", s.show(file), err)
	}
	return nil
}

// rel is a file's path below the root; a log entry of another place is refused.
func (s *Source) rel(file string) (string, error) {
	rel, err := filepath.Rel(s.where.root, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("the source log names %s, which is not below %s: the source had another path", file, s.where.root)
	}
	return filepath.ToSlash(rel), nil
}

func (p *pinned) check(rel string) error {
	seen := map[string]bool{}
	for _, kv := range pairs(rel) {
		folded := strings.ToLower(kv.key)
		switch {
		case !p.has(kv.key):
			return fmt.Errorf("its path has the partition key %q; %s", kv.key, p.describe())
		case seen[folded]:
			return fmt.Errorf("its path has the partition key %q twice", kv.key)
		}
		seen[folded] = true
	}
	for _, name := range p.names {
		if !seen[strings.ToLower(name)] {
			return fmt.Errorf("its path lacks the partition key %q; %s", name, p.describe())
		}
	}
	return nil
}

func (p *pinned) describe() string {
	if len(p.names) == 0 {
		return "the source has none since its first file"
	}
	return "the keys of the source are " + strings.Join(p.names, ", ")
}

// value parses the text of a partition key as a constant of a column's type.
func value(text string, t types.Type, zone *time.Location) (*vec.Vector, error) {
	if text == hiveNull {
		return vec.Nulls(t, 0), nil
	}
	x, ok := scan.Value(text, t, zone)
	if !ok {
		return nil, fmt.Errorf("%q is not %s", text, t.WithArticle())
	}
	return vec.NewConst(t, x, 0), nil
}
