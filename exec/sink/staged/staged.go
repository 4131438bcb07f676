// Package staged owns the payload of sinks that log the rows themselves: all rows of a
// batch, cut into partitions when they were staged, so that a partition holds the same
// rows whenever and wherever the payload is published. json.go writes rows as JSON text.
// It knows nothing of what becomes of the rows. Open this file first.
package staged

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// The payload, version 1: the byte 1, the number of partitions as a uvarint, then each
// one as its length in bytes (uvarint) and batches, one after the other, in the batch
// encoding (docs/formats/batch.md).
const version = 1

// mostBytes bounds a payload: it is in memory, and in the state log.
const mostBytes = 1 << 30

// Rows is the payload of a batch that has one partition.
func Rows(ctx context.Context, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	return Partitioned(ctx, 1, nil, rows)
}

// Partitioned is the payload of a batch in n partitions: the one of each row is what
// part says, modulo n. The order within a partition is that of the rows.
func Partitioned(ctx context.Context, n int, part func(*vec.Batch, int) uint64, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	parts, size := make([][]byte, n), 0
	add := func(p int, b *vec.Batch) {
		before := len(parts[p])
		parts[p] = vec.EncodeBatch(parts[p], b)
		size += len(parts[p]) - before
	}
	err := rows(func(b *vec.Batch) error {
		if err := ctx.Err(); err != nil || b.Rows() == 0 {
			return err
		}
		if n == 1 {
			add(0, b)
		} else {
			divide(n, part, b, add)
		}
		if size > mostBytes {
			return fmt.Errorf("the output of one batch has more than %d MiB, which this sink keeps in memory; limit the batches with max_rows_per_trigger", mostBytes>>20)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return join(parts, size), nil
}

func divide(n int, part func(*vec.Batch, int) uint64, b *vec.Batch, add func(int, *vec.Batch)) {
	sel := make([][]int32, n)
	b.Each(func(row int) {
		p := part(b, row) % uint64(n)
		sel[p] = append(sel[p], int32(row))
	})
	for p, rows := range sel {
		if len(rows) > 0 {
			add(p, &vec.Batch{Cols: b.Cols, N: b.N, W: b.W, Sel: rows})
		}
	}
}

func join(parts [][]byte, size int) []byte {
	out := make([]byte, 0, size+16+len(parts)*binary.MaxVarintLen32)
	out = binary.AppendUvarint(append(out, version), uint64(len(parts)))
	for _, p := range parts {
		out = append(binary.AppendUvarint(out, uint64(len(p))), p...)
	}
	return out
}

// Partition is the encoded rows of one partition.
type Partition []byte

// Split cuts a payload into its partitions.
func Split(payload []byte) ([]Partition, error) {
	if len(payload) == 0 || payload[0] != version {
		return nil, fmt.Errorf("payload of %d bytes is not of version %d", len(payload), version)
	}
	n, used := binary.Uvarint(payload[1:])
	rest := payload[1+max(used, 0):]
	if used <= 0 || n > uint64(len(rest)) {
		return nil, fmt.Errorf("payload of %d bytes is cut short", len(payload))
	}
	parts := make([]Partition, n)
	for i := range parts {
		size, used := binary.Uvarint(rest)
		if used <= 0 || size > uint64(len(rest)-used) {
			return nil, fmt.Errorf("payload of %d bytes is cut short in partition %d", len(payload), i)
		}
		parts[i], rest = rest[used:used+int(size)], rest[used+int(size):]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("payload has %d bytes behind its end", len(rest))
	}
	return parts, nil
}

// Each decodes the rows, which have the given types, batch by batch. A batch may be kept.
func (p Partition) Each(ts []types.Type, do func(*vec.Batch) error) error {
	for rest := []byte(p); len(rest) > 0; {
		b, more, err := vec.DecodeBatch(rest, ts)
		if err != nil {
			return err
		}
		if err := do(b); err != nil {
			return err
		}
		rest = more
	}
	return nil
}

// Each decodes all rows of a payload, partition by partition.
func Each(payload []byte, ts []types.Type, do func(*vec.Batch) error) error {
	parts, err := Split(payload)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if err := p.Each(ts, do); err != nil {
			return err
		}
	}
	return nil
}

// Types are those of columns.
func Types(cols []types.Column) []types.Type {
	out := make([]types.Type, len(cols))
	for i, c := range cols {
		out[i] = c.Type
	}
	return out
}

// ByHash is the partition of a row by the hash of some columns; without any, of all. The
// hash of a value never changes (exec/vec).
func ByHash(cols []int) func(*vec.Batch, int) uint64 {
	if len(cols) == 0 {
		return func(b *vec.Batch, row int) uint64 { return vec.HashRow(b.Cols, row) }
	}
	return func(b *vec.Batch, row int) uint64 {
		key := make([]*vec.Vector, len(cols))
		for i, c := range cols {
			key[i] = b.Cols[c]
		}
		return vec.HashRow(key, row)
	}
}
