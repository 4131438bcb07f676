package file

import (
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// hiveNull is the directory of NULL, and as in Spark of empty text too: Spark refuses
// to read "key=".
const hiveNull = "__HIVE_DEFAULT_PARTITION__"

// canPartition reports types whose text says the value again.
func canPartition(t types.Type) bool {
	return t.Kind == types.Bool || t.IsInteger() || t.Kind == types.Decimal || t.Kind == types.String || t.IsTime() || t.Kind == types.Time || t.Kind == types.UUID
}

// directoryOf is the partition directory of a row: "day=2024-01-31/who=a%2Fb/", "" if
// the sink has no partitions.
func (s *Sink) directoryOf(b *vec.Batch, row int) string {
	var out strings.Builder
	for _, c := range s.parts {
		out.WriteString(escape(s.cfg.Columns[c].Name))
		out.WriteByte('=')
		out.WriteString(valueText(b.Cols[c], row, s.cfg.Zone))
		out.WriteByte('/')
	}
	return out.String()
}

func valueText(v *vec.Vector, row int, zone *time.Location) string {
	if v.IsNull(row) {
		return hiveNull
	}
	text := vec.RowString(v, row, zone)
	if v.Type.Kind == types.Timestamp {
		text = timeText(v.Int(row), zone)
	}
	if text = escape(text); text != "" {
		return text
	}
	return hiveNull
}

// timeText is an instant on the zone's wall clock, or in UTC, marked by a Z, where the
// wall clock shows that time twice: read back it must be the instant that it was.
func timeText(us int64, zone *time.Location) string {
	if zone == nil {
		zone = time.UTC
	}
	if types.FromLocal(types.ToLocal(us, zone), zone) == us {
		return string(types.AppendTimestamp(nil, us, zone))
	}
	return string(types.AppendTimestamp(nil, us, time.UTC)) + "Z"
}

// escape writes what a directory name cannot hold as Spark and Hive do: %XX.
func escape(s string) string {
	const special = "\"#%'*/:=?\\{[]^"
	if !strings.ContainsAny(s, special) && strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0 {
		return s
	}
	var out strings.Builder
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c == 0x7f || strings.IndexByte(special, c) >= 0 {
			out.WriteByte('%')
			out.WriteString(strings.ToUpper(strconv.FormatUint(uint64(c)+0x100, 16)[1:]))
			continue
		}
		out.WriteByte(c)
	}
	return out.String()
}
