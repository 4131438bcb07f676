package scan

import (
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Writer writes dates and timestamps as text formats do: by a pattern, else ISO 8601
// with as many digits of the second as the value has, three at least.
type Writer struct {
	zone           *time.Location
	date, ts, ntz  *Pattern
	offFrom, offTo int64 // UTC times in which the zone's offset is off, µs
	off            int64
}

// NewWriter returns a writer for the wall clock of a zone; nil = UTC. A nil pattern
// means ISO 8601. It is for one goroutine.
func NewWriter(zone *time.Location, date, timestamp, ntz *Pattern) *Writer {
	if zone == nil || zone.String() == "UTC" {
		zone = time.UTC
	}
	return &Writer{zone: zone, date: date, ts: timestamp, ntz: ntz}
}

// AppendDate appends days since 1970.
func (w *Writer) AppendDate(dst []byte, days int64) []byte {
	if sign := types.Date.Infinite(days); sign != 0 {
		return append(dst, types.InfiniteText(sign)...)
	}
	if w.date != nil {
		return w.date.append(dst, days*types.MicrosPerDay, 0, time.UTC)
	}
	return types.AppendDate(dst, days)
}

// AppendTimestamp appends an instant on the zone's wall clock, with its offset. Offsets
// of odd seconds, which zones had before there was standard time, have no form in ISO
// 8601: those instants are written in UTC, so that they read back as they were.
func (w *Writer) AppendTimestamp(dst []byte, us int64) []byte {
	if sign := types.Timestamp.Infinite(us); sign != 0 {
		return append(dst, types.InfiniteText(sign)...)
	}
	off := w.offset(us)
	if w.ts != nil {
		return w.ts.append(dst, us+off, off, w.zone)
	}
	if off == 0 || off%types.MicrosPerMinute != 0 {
		return append(appendISO(dst, us), 'Z')
	}
	return appendOffset(appendISO(dst, us+off), off, true, 3)
}

// AppendLocal appends a TIMESTAMP_NTZ.
func (w *Writer) AppendLocal(dst []byte, us int64) []byte {
	if sign := types.TimestampNTZ.Infinite(us); sign != 0 {
		return append(dst, types.InfiniteText(sign)...)
	}
	if w.ntz != nil {
		return w.ntz.append(dst, us, 0, time.UTC)
	}
	return appendISO(dst, us)
}

// offset is the zone's offset at an instant, µs.
func (w *Writer) offset(us int64) int64 {
	if w.zone == time.UTC || w.offFrom <= us && us < w.offTo {
		return w.off
	}
	t := time.UnixMicro(us).In(w.zone)
	_, s := t.Zone()
	w.off = int64(s) * types.MicrosPerSecond
	start, end := t.ZoneBounds()
	w.offFrom, w.offTo = us, us+1
	if !start.IsZero() {
		w.offFrom = start.UnixMicro()
	}
	if !end.IsZero() {
		w.offTo = end.UnixMicro()
	}
	return w.off
}

func appendISO(dst []byte, us int64) []byte {
	day := types.FloorDiv(us, types.MicrosPerDay)
	dst = append(types.AppendDate(dst, day), 'T')
	us -= day * types.MicrosPerDay
	dst = appendTwo(dst, us/types.MicrosPerHour)
	dst = appendTwo(append(dst, ':'), us/types.MicrosPerMinute%60)
	dst = appendTwo(append(dst, ':'), us/types.MicrosPerSecond%60)
	us %= types.MicrosPerSecond
	digits := 6
	if us%1000 == 0 {
		digits = 3
	}
	return appendFraction(append(dst, '.'), us, digits)
}

func appendTwo(dst []byte, n int64) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }

// appendFraction appends the first digits of a fraction of a second.
func appendFraction(dst []byte, us int64, digits int) []byte {
	for d := int64(100_000); digits > 0; digits-- {
		if d == 0 {
			dst = append(dst, '0')
			continue
		}
		dst = append(dst, byte('0'+us/d%10))
		d /= 10
	}
	return dst
}

// appendOffset appends ±hh[:]mm; in java.time's words X1 to X3.
func appendOffset(dst []byte, off int64, zulu bool, n int) []byte {
	if off == 0 && zulu {
		return append(dst, 'Z')
	}
	sign := byte('+')
	if off < 0 {
		sign, off = '-', -off
	}
	m := off / types.MicrosPerMinute
	dst = appendTwo(append(dst, sign), m/60)
	if n == 1 && m%60 == 0 {
		return dst
	}
	if n >= 3 {
		dst = append(dst, ':')
	}
	return appendTwo(dst, m%60)
}

// append writes local time by the pattern; off is its offset from UTC.
func (p *Pattern) append(dst []byte, local, off int64, zone *time.Location) []byte {
	t := time.UnixMicro(local).UTC()
	for i := range p.items {
		dst = p.items[i].append(dst, t, off, zone)
	}
	return dst
}

func (it *item) append(dst []byte, t time.Time, off int64, zone *time.Location) []byte {
	switch it.kind {
	case '\'':
		return append(dst, it.lit...)
	case 'a':
		return append(dst, [...]string{"AM", "PM"}[t.Hour()/12]...)
	case 'S':
		return appendFraction(dst, int64(t.Nanosecond()/1000), it.n)
	case 'X':
		return appendOffset(dst, off, true, it.n)
	case 'x', 'Z':
		return appendOffset(dst, off, false, it.n)
	case 'z':
		name, _ := t.Add(-time.Duration(off) * time.Microsecond).In(zone).Zone()
		return append(dst, name...)
	case 'V':
		return append(dst, zone.String()...)
	case 'E':
		return appendName(dst, t.Weekday().String(), it.n)
	case 'M':
		if it.n > 2 {
			return appendName(dst, t.Month().String(), it.n)
		}
	}
	return it.appendNumber(dst, t)
}

func appendName(dst []byte, name string, n int) []byte {
	if n < 4 {
		name = name[:3]
	}
	return append(dst, name...)
}

func (it *item) appendNumber(dst []byte, t time.Time) []byte {
	v := 0
	switch it.kind {
	case 'y', 'u':
		v = t.Year()
		if it.n == 2 {
			v %= 100
		}
	case 'M':
		v = int(t.Month())
	case 'd':
		v = t.Day()
	case 'D':
		v = t.YearDay()
	case 'H':
		v = t.Hour()
	case 'h':
		v = (t.Hour()+11)%12 + 1
	case 'k':
		v = (t.Hour()+23)%24 + 1
	case 'm':
		v = t.Minute()
	case 's':
		v = t.Second()
	default:
		return dst // brackets
	}
	digits := types.Int128From(int64(v)).Append(nil)
	dst = append(dst, strings.Repeat("0", max(0, it.n-len(digits)))...)
	return append(dst, digits...)
}
