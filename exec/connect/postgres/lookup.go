package postgres

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Find implements source.Lookup: rows whose columns are among the keys, by one statement
// with an array for each column. What no row can have is left out.
func (s *tableSource) Find(_ context.Context, cols []int, keys []*vec.Vector, n int) ([]source.Split, error) {
	p := &foundSplit{tableSplit{s: s}}
	arrays := make([][]byte, len(cols))
	cells := make([]cell, len(cols))
	kinds := make([]keyKind, len(cols))
	for i, c := range cols {
		k, err := s.keyKind(c, keys[i].Type)
		if err != nil {
			return nil, s.wrap(err)
		}
		kinds[i], cells[i] = k, cellOf(keys[i].Type, wire{kind: k.kind})
	}
	count := 0
	for row := range n {
		if appendKeys(arrays, cells, keys, row) {
			count++
		}
	}
	if count == 0 {
		return nil, nil
	}
	join := ""
	for i, c := range cols {
		head := binary.BigEndian.AppendUint32(nil, 1)
		head = binary.BigEndian.AppendUint32(head, 0)
		head = binary.BigEndian.AppendUint32(head, kinds[i].elem)
		head = binary.BigEndian.AppendUint32(head, uint32(count))
		head = binary.BigEndian.AppendUint32(head, 1)
		p.params, p.oids = append(p.params, append(head, arrays[i]...)), append(p.oids, kinds[i].array)
		if i > 0 {
			join += ", "
		}
		join += fmt.Sprintf("$%d", i+1)
		if len(cols) == 1 {
			p.conds = append(p.conds, s.columns[c].expr+" = ANY ("+join+")")
		}
	}
	if len(cols) > 1 {
		left := ""
		for i, c := range cols {
			if i > 0 {
				left += ", "
			}
			left += s.columns[c].expr
		}
		p.conds = append(p.conds, "("+left+") IN (SELECT * FROM unnest("+join+"))")
	}
	return []source.Split{p}, nil
}

// appendKeys appends a key to the arrays, or nothing if PostgreSQL has no such values.
func appendKeys(arrays [][]byte, cells []cell, keys []*vec.Vector, row int) bool {
	ends := make([]int, len(arrays))
	for i := range arrays {
		ends[i] = len(arrays[i])
	}
	for i := range arrays {
		var reason string
		if arrays[i], reason = appendCell(arrays[i], keys[i], row, cells[i]); reason != "" {
			for k := range arrays {
				arrays[k] = arrays[k][:ends[k]]
			}
			return false
		}
	}
	return true
}

// keyKind is the type in which keys of a column are sent.
type keyKind struct {
	kind        kind
	elem, array uint32
}

// keyKind chooses by the type of the key, not by the column's: a BIGINT finds its like in a
// column of type integer by PostgreSQL's own comparison, which can use the index.
func (s *tableSource) keyKind(col int, t types.Type) (keyKind, error) {
	r := s.columns[col]
	k := map[types.Kind]keyKind{
		types.Bool: {boolKind, pgtype.BoolOID, pgtype.BoolArrayOID}, types.Int8: {int2Kind, pgtype.Int2OID, pgtype.Int2ArrayOID}, types.Int16: {int2Kind, pgtype.Int2OID, pgtype.Int2ArrayOID},
		types.Int32: {int4Kind, pgtype.Int4OID, pgtype.Int4ArrayOID}, types.Int64: {int8Kind, pgtype.Int8OID, pgtype.Int8ArrayOID},
		types.Float32: {float4Kind, pgtype.Float4OID, pgtype.Float4ArrayOID}, types.Float64: {float8Kind, pgtype.Float8OID, pgtype.Float8ArrayOID},
		types.Decimal: {numericKind, pgtype.NumericOID, pgtype.NumericArrayOID}, types.Bytes: {byteaKind, pgtype.ByteaOID, pgtype.ByteaArrayOID},
		types.Date: {dateKind, pgtype.DateOID, pgtype.DateArrayOID}, types.Timestamp: {timestamptzKind, pgtype.TimestamptzOID, pgtype.TimestamptzArrayOID},
		types.TimestampNTZ: {timestampKind, pgtype.TimestampOID, pgtype.TimestampArrayOID},
		types.Time:         {timeKind, pgtype.TimeOID, pgtype.TimeArrayOID}, types.UUID: {uuidKind, pgtype.UUIDOID, pgtype.UUIDArrayOID},
	}[t.Kind]
	switch {
	case t.Kind == types.String && r.wire.kind == uuidKind:
		k = keyKind{uuidKind, pgtype.UUIDOID, pgtype.UUIDArrayOID}
	case t.Kind == types.String && r.wire.oid == pgtype.BPCharOID:
		k = keyKind{textKind, pgtype.BPCharOID, pgtype.BPCharArrayOID}
	case t.Kind == types.String && (r.wire.oid == pgtype.TextOID || r.wire.oid == pgtype.VarcharOID):
		k = keyKind{textKind, pgtype.TextOID, pgtype.TextArrayOID}
	}
	if k.array == 0 {
		return k, fmt.Errorf("column %q is %s, by which no rows are found; leave lookup out, or give a query with a column of another type", s.cfg.Columns[col].Name, r.wire.name)
	}
	return k, nil
}

// foundSplit are rows found by keys.
type foundSplit struct{ tableSplit }

// Read implements source.Split. It takes a connection that is open already, and tries
// again while nothing has been given to emit.
func (p *foundSplit) Read(ctx context.Context, rd source.Reading, emit func(*vec.Batch) error) error {
	var refused error // the caller's own
	given := false
	err := p.s.server.retry(ctx, func(ctx context.Context) error {
		ses := p.s.take()
		conn, err := ses.use(ctx)
		if err == nil {
			err = p.read(ctx, conn, rd, func(b *vec.Batch) error {
				given = true
				refused = emit(b)
				return refused
			})
		}
		if err != nil {
			ses.drop()
			if given {
				err = fmt.Errorf("%v, after the first rows", err) // not to be tried again
			}
			return err
		}
		p.s.give(ses)
		return nil
	})
	if refused != nil {
		return refused
	}
	return p.s.wrap(advised(err))
}

// take gives a session for a lookup.
func (s *tableSource) take() *session {
	select {
	case ses := <-s.idle:
		return ses
	default:
		return &session{server: s.server}
	}
}

// give keeps a session for the next lookup.
func (s *tableSource) give(ses *session) {
	select {
	case s.idle <- ses:
	default:
		ses.drop()
	}
}
