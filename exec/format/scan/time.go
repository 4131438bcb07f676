package scan

import (
	"bytes"
	"encoding/binary"
	"time"
	"unsafe"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Times reads dates and timestamps. It remembers the last day and zone offset, since
// neighbouring rows mostly share them; so it is for one goroutine.
//
// Without patterns it takes what types.ParseDate and types.ParseTimestamp take, in the
// usual form without calling them.
type Times struct {
	zone *time.Location
	date *Pattern
	ts   *Pattern
	ntz  *Pattern

	day       [10]byte // the text of the last day …
	dayMicros int64    // … and its midnight
	// In [offFrom, offTo) of local time the zone's offset is off.
	offFrom, offTo, off int64
}

// NewTimes returns a reader for times of a zone; nil = UTC. A nil pattern means ISO
// 8601.
func NewTimes(zone *time.Location, date, timestamp, ntz *Pattern) *Times {
	if zone == nil || zone.String() == "UTC" {
		zone = time.UTC
	}
	return &Times{zone: zone, date: date, ts: timestamp, ntz: ntz}
}

// Date reads days since 1970.
func (t *Times) Date(b []byte) (int64, bool) {
	if t.date != nil {
		f, ok := t.date.parse(b)
		return types.FloorDiv(f.micros, types.MicrosPerDay), ok
	}
	if len(b) == 10 {
		if us, ok := t.dayOf(b); ok {
			return types.FloorDiv(us, types.MicrosPerDay), true
		}
	}
	days, err := types.ParseDate(stringOf(b))
	return days, err == nil
}

// Timestamp reads µs since 1970, UTC. A time without offset is one of the zone.
func (t *Times) Timestamp(b []byte) (int64, bool) {
	if t.ts != nil {
		f, ok := t.ts.parse(b)
		if f.zoned {
			return f.micros - f.offset, ok
		}
		return t.toUTC(f.micros), ok
	}
	local, rest, ok := t.clock(b)
	switch {
	case ok && len(rest) == 0:
		return t.toUTC(local), true
	case ok && len(rest) == 1 && rest[0] == 'Z':
		return local, true
	}
	us, err := types.ParseTimestamp(stringOf(b), t.zone)
	return us, err == nil
}

// Local reads µs since 1970 of a TIMESTAMP_NTZ; a zone in the text is refused, as
// Spark's readers do, because dropping it would change what the text says.
func (t *Times) Local(b []byte) (int64, bool) {
	if t.ntz != nil {
		f, ok := t.ntz.parse(b)
		return f.micros, ok && !f.zoned
	}
	if local, rest, ok := t.clock(b); ok && len(rest) == 0 {
		return local, true
	}
	us, err := types.ParseTimestampNTZ(stringOf(b))
	return us, err == nil && !zoned(b)
}

// zoned reports whether a valid timestamp text ends with a zone.
func zoned(b []byte) bool {
	b = trim(b)
	for _, c := range b[min(max(11, bytes.IndexAny(b, "T ")+1), len(b)):] {
		if c != ':' && c != '.' && c-'0' > 9 {
			return true
		}
	}
	return len(b) == 11
}

// stringOf is b as a string, not copied: the callee keeps nothing of it.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// dayOf reads "2026-01-31" at the beginning of b (10 bytes at least) as µs.
func (t *Times) dayOf(b []byte) (int64, bool) {
	if [10]byte(b[:10]) == t.day {
		return t.dayMicros, true
	}
	y, ok1 := twoDigits(b[0], b[1])
	z, ok2 := twoDigits(b[2], b[3])
	m, ok3 := twoDigits(b[5], b[6])
	d, ok4 := twoDigits(b[8], b[9])
	if !ok1 || !ok2 || !ok3 || !ok4 || b[4] != '-' || b[7] != '-' {
		return 0, false
	}
	us, ok := civil(y*100+z, m, d)
	if ok {
		t.day, t.dayMicros = [10]byte(b[:10]), us
	}
	return us, ok
}

func twoDigits(a, b byte) (int, bool) {
	x, y := a-'0', b-'0'
	return int(x)*10 + int(y), x <= 9 && y <= 9
}

// clock reads "2026-01-31T23:59:59[.fraction]" and returns what follows.
func (t *Times) clock(b []byte) (us int64, rest []byte, ok bool) {
	if len(b) < 19 || b[10] != 'T' && b[10] != ' ' {
		return 0, nil, false
	}
	us, ok = t.dayOf(b)
	w := binary.LittleEndian.Uint64(b[11:])
	d := w ^ 0x30303a30303a3030 // hh:mm:ss, each byte now 0 to 9, the colons 0
	if !ok || (d+ones*0x76|d)&highs != 0 || d&0x0000ff0000ff0000 != 0 {
		return 0, nil, false
	}
	h, m, s := d&0xff*10+d>>8&0xff, d>>24&0xff*10+d>>32&0xff, d>>48&0xff*10+d>>56
	if h > 23 || m > 59 || s > 59 {
		return 0, nil, false
	}
	us += int64(h*3600+m*60+s) * types.MicrosPerSecond
	b = b[19:]
	if len(b) == 0 || b[0] != '.' {
		return us, b, true
	}
	frac, n := fraction(b[1:])
	return us + frac, b[1+n:], n > 0
}

// fraction reads up to 9 digits of a second as µs, cutting what is finer, as Spark does.
func fraction(b []byte) (us int64, n int) {
	if len(b) >= 8 {
		v, n := digits(binary.LittleEndian.Uint64(b))
		if n <= 6 {
			return int64(v * pow10[6-n]), n
		}
	}
	for n < len(b) && n < 9 && b[n]-'0' <= 9 {
		if n < 6 {
			us = us*10 + int64(b[n]-'0')
		}
		n++
	}
	for i := n; i < 6; i++ {
		us *= 10
	}
	return us, n
}

// toUTC turns local time into UTC. Far from clock changes the zone's offset is taken
// from the last time that was looked up.
func (t *Times) toUTC(local int64) int64 {
	if t.zone == time.UTC {
		return local
	}
	if t.offFrom <= local && local < t.offTo {
		return local - t.off
	}
	utc := types.FromLocal(local, t.zone)
	t.off = local - utc
	start, end := time.UnixMicro(utc).In(t.zone).ZoneBounds()
	t.offFrom, t.offTo = utc-types.MicrosPerDay, utc+types.MicrosPerDay
	if !start.IsZero() {
		t.offFrom = start.UnixMicro() + 2*types.MicrosPerDay
	}
	if !end.IsZero() {
		t.offTo = end.UnixMicro() - 2*types.MicrosPerDay
	}
	return utc
}

// civil is midnight of a day in µs; false if there is no such day.
func civil(y, m, d int) (int64, bool) {
	if y < types.MinYear || m < 1 || m > 12 || d < 1 || d > types.DaysInMonth(y, m) {
		return 0, false
	}
	return types.DaysFromCivil(y, m, d) * types.MicrosPerDay, true
}
