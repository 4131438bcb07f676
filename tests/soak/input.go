package soak

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// script is the query under test: duplicates are dropped, ten-minute windows are counted
// and summed, and beside that rows are copied. No row is ever late, so that every cut
// into micro-batches has the same answer.
const script = `CREATE SOURCE clicks (` + Columns + `)
  WITH (connector = 'file', format = 'json', path = 'in', max_files_per_trigger = ${files});
CREATE SINK counts WITH (connector = 'file', format = 'json', path = 'counts');
CREATE SINK copies WITH (connector = 'file', format = 'json', path = 'copies');
` + Query

// Query is what is done with the source clicks: see script. Sinks named counts and copies take
// the rows.
const Query = `EXECUTE STATEMENT SET BEGIN
INSERT INTO counts SELECT window.start AS start, who, count(*) AS n, sum(v) AS s
  FROM drop_duplicates(TABLE clicks, DESCRIPTOR(id, at)) AS d
  GROUP BY window(at, '10 minutes'), who EMIT APPEND;
INSERT INTO copies SELECT id, v, pad FROM clicks WHERE v % 3 <> 0;
END TRIGGER AVAILABLE NOW WITH (name = 'soak', checkpoint = 'ck');
`

// Columns are those of the source, which CREATE SOURCE clicks declares.
const Columns = `id BIGINT, who STRING, at TIMESTAMP, v BIGINT, pad STRING, WATERMARK FOR at AS at - INTERVAL '1' HOUR`

// Row is one row of the input.
type Row struct {
	ID  int64  `json:"id"`
	Who string `json:"who"`
	At  string `json:"at"`
	V   int64  `json:"v"`
	Pad string `json:"pad"`
	us  int64
}

// Input is some files and what the query makes of them all.
type Input struct {
	files          [][]Row
	counts, copies []string // the answer, sorted
}

// NewInput draws files; the last one ends all windows of the others.
func NewInput(seed uint64, files, rows int) *Input {
	in := &Input{files: make([][]Row, files)}
	rng := rand.New(rand.NewPCG(seed, 5))
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	id := int64(0)
	for i := range in.files {
		for range rows {
			id++
			at := start.Add(time.Duration(i*5+rng.IntN(30)) * time.Minute)
			r := Row{ID: id, V: rng.Int64N(1000), Who: fmt.Sprintf("w%d", rng.IntN(5)), Pad: strings.Repeat(string(rune('a'+rng.IntN(26))), 300)}
			if rng.IntN(6) == 0 && id > 1 && len(in.files[i]) > 0 {
				r = in.files[i][rng.IntN(len(in.files[i]))]
			} else {
				r.us, r.At = at.UnixMicro(), at.Format(time.RFC3339)
			}
			in.files[i] = append(in.files[i], r)
		}
	}
	end := start.Add(time.Duration(files*5+200) * time.Minute)
	last := Row{ID: id + 1, V: 3, Who: "end", At: end.Format(time.RFC3339), us: end.UnixMicro()}
	in.files[files-1] = append(in.files[files-1], last)
	in.answer(end.Add(-time.Hour).UnixMicro())
	return in
}

// answer computes the result as a batch query over everything would.
func (in *Input) answer(watermark int64) {
	const width = int64(600_000_000)
	type key struct {
		start int64
		who   string
	}
	type once struct{ id, us int64 }
	n, s, seen := map[key]int64{}, map[key]int64{}, map[once]bool{}
	for _, rows := range in.files {
		for _, r := range rows {
			if r.V%3 != 0 {
				in.copies = append(in.copies, fmt.Sprintf("%d|%d|%s", r.ID, r.V, r.Pad))
			}
			k := key{r.us - r.us%width, r.Who}
			if seen[once{r.ID, r.us}] || k.start+width > watermark {
				continue
			}
			seen[once{r.ID, r.us}] = true
			n[k]++
			s[k] += r.V
		}
	}
	for k := range n {
		in.counts = append(in.counts, fmt.Sprintf("%d|%s|%d|%d", k.start, k.who, n[k], s[k]))
	}
	slices.Sort(in.counts)
	slices.Sort(in.copies)
}

// Files is how many files there are.
func (in *Input) Files() int { return len(in.files) }

// Rows are those of file i, in order. Elsewhere than in a file, a row whose Who is "end" has
// to be the last in every partition.
func (in *Input) Rows(i int) []Row { return in.files[i] }

// Answer is what a sink holds in the end, sorted.
func (in *Input) Answer(sink string) []string {
	if sink == "counts" {
		return in.counts
	}
	return in.copies
}

// Write puts file i into the directory, whole, with a modification time in order.
func (in *Input) Write(dir string, i int) error {
	var out []byte
	for _, r := range in.files[i] {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		out = append(append(out, line...), '\n')
	}
	tmp, path := filepath.Join(dir, fmt.Sprintf(".%03d.tmp", i)), filepath.Join(dir, fmt.Sprintf("%03d.json", i))
	if err := os.WriteFile(tmp, out, 0o644); err != nil {
		return err
	}
	at := time.Date(2024, 6, 1, 0, 0, i, 0, time.UTC)
	if err := os.Chtimes(tmp, at, at); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
