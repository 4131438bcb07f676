package trigger

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/option"
)

// withinLimit refuses a trigger after which the query holds more memory than it may, before
// anything of it is durable: a later run with more room takes the same batch.
func (q *Query) withinLimit(payloads [][]byte) error {
	if q.MemoryLimit == 0 {
		return nil
	}
	var held, most int64
	largest := ""
	for _, op := range q.Graph.Ops {
		bytes := op.Stats().Bytes
		if held += bytes; bytes > most {
			most, largest = bytes, fmt.Sprintf("; %s %s holds %s of it", op.Name, op.ID, option.FormatSize(bytes))
		}
	}
	for _, p := range payloads {
		held += int64(len(p))
	}
	if held <= q.MemoryLimit {
		return nil
	}
	return fmt.Errorf("its state and output take %s, more than memory_limit = '%s' allows%s: raise the limit and start it again, "+
		"bound the state with a watermark (EXPLAIN tells what is never cleaned), or take less at a time (max_rows_per_trigger)",
		option.FormatSize(held), option.FormatSize(q.MemoryLimit), largest)
}
