package crash

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// start is the event time of the first rows.
var start = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

const minute = int64(60_000_000)

// row is an input row. Texts are long and not zero, so that files span blocks whose
// loss shows.
type row struct {
	ID  int64  `json:"id"`
	Who string `json:"who"`
	At  string `json:"at"` // "" = NULL
	V   int64  `json:"v"`
	Pad string `json:"pad"`
	us  int64
}

type file struct {
	name string
	rows []row
}

func (f file) text() []byte {
	var out []byte
	for _, r := range f.rows {
		line, _ := json.Marshal(r) // never fails
		out = append(append(out, line...), '\n')
	}
	return out
}

// makeFiles draws input: event times that advance by some minutes a file, out of order
// within it, sometimes far behind; ids that come again.
func makeFiles(seed uint64, prefix string, n, rows int) []file {
	rng := rand.New(rand.NewPCG(seed, 17))
	files := make([]file, n)
	id := int64(0)
	for i := range files {
		files[i].name = fmt.Sprintf("%s%02d.json", prefix, i)
		for range rows {
			id++
			us := start + int64(i)*4*minute + rng.Int64N(9)*minute
			if rng.IntN(6) == 0 {
				us -= rng.Int64N(30) * minute
			}
			r := row{ID: id, V: rng.Int64N(100), us: us}
			if rng.IntN(5) == 0 && id > 1 { // a row of this or an earlier file again
				g := files[rng.IntN(i+1)]
				if len(g.rows) > 0 {
					r = g.rows[rng.IntN(len(g.rows))]
				}
			}
			r.At = time.UnixMicro(r.us).UTC().Format("2006-01-02T15:04:05.000Z")
			r.Who = fmt.Sprintf("w%d-%s", r.ID%4, strings.Repeat("k", 400))
			r.Pad = strings.Repeat(string(rune('a'+r.ID%26)), 700)
			files[i].rows = append(files[i].rows, r)
		}
	}
	return files
}
