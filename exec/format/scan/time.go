package scan

import (
	"encoding/binary"
	"time"
)

// Micros of the calendar units that have a fixed length.
const (
	microsSecond = 1_000_000
	microsMinute = 60 * microsSecond
	microsHour   = 60 * microsMinute
	microsDay    = 24 * microsHour
)

// Times reads dates and timestamps. It remembers the last day and zone offset, since
// neighbouring rows mostly share them; so it is for one goroutine.
//
// Without patterns it takes ISO 8601 as Spark does: "2026-01-31", then "T" or a blank
// and "23:59[:59[.999999]]", then "Z" or an offset.
type Times struct {
	zone *time.Location // nil = UTC
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
	if zone == time.UTC || zone != nil && zone.String() == "UTC" {
		zone = nil
	}
	return &Times{zone: zone, date: date, ts: timestamp, ntz: ntz}
}

// Date reads days since 1970.
func (t *Times) Date(b []byte) (int64, bool) {
	if t.date != nil {
		f, ok := t.date.parse(b)
		return floorDiv(f.micros, microsDay), ok
	}
	if len(b) == 10 {
		if us, ok := t.dayOf(b); ok {
			return floorDiv(us, microsDay), true
		}
	}
	f, ok := isoTime(b)
	return floorDiv(f.micros, microsDay), ok
}

// Timestamp reads µs since 1970, UTC. A time without offset is one of the zone.
func (t *Times) Timestamp(b []byte) (int64, bool) {
	if t.ts != nil {
		f, ok := t.ts.parse(b)
		return t.resolve(f), ok
	}
	local, rest, ok := t.clock(b)
	switch {
	case !ok:
		f, ok := isoTime(b)
		return t.resolve(f), ok
	case len(rest) == 0:
		return t.toUTC(local), true
	case len(rest) == 1 && rest[0] == 'Z':
		return local, true
	}
	off, rest, ok := isoOffset(rest)
	if !ok || len(rest) > 0 {
		f, ok := isoTime(b)
		return t.resolve(f), ok
	}
	return local - off, true
}

// Local reads µs since 1970 of a TIMESTAMP_NTZ; an offset in the text is refused, like
// in Spark, because there is no telling what it should do.
func (t *Times) Local(b []byte) (int64, bool) {
	if t.ntz != nil {
		f, ok := t.ntz.parse(b)
		return f.micros, ok && !f.zoned
	}
	if local, rest, ok := t.clock(b); ok && len(rest) == 0 {
		return local, true
	}
	f, ok := isoTime(b)
	return f.micros, ok && !f.zoned
}

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
	if !ok {
		return 0, false
	}
	t.day, t.dayMicros = [10]byte(b[:10]), us
	return us, true
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
	us += int64(h*3600+m*60+s) * microsSecond
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

func (t *Times) resolve(f fields) int64 {
	if f.zoned {
		return f.micros - f.offset
	}
	return t.toUTC(f.micros)
}

// toUTC turns local time into UTC. A time that a clock change skips is moved forward
// by the gap, one that it repeats is the earlier one (java.time, hence Spark).
func (t *Times) toUTC(local int64) int64 {
	if t.zone == nil {
		return local
	}
	if t.offFrom <= local && local < t.offTo {
		return local - t.off
	}
	utc, from, to, off := toUTC(t.zone, local)
	t.offFrom, t.offTo, t.off = from, to, off
	return utc
}

// toUTC also returns a range of local times, a day away from any clock change, in
// which the offset is off; it may be empty.
func toUTC(zone *time.Location, local int64) (utc, from, to, off int64) {
	before := offsetAt(zone, local-microsDay)
	after := offsetAt(zone, local+microsDay)
	if before == after && offsetAt(zone, local) == before {
		utc = local - before
		start, end := time.UnixMicro(utc).In(zone).ZoneBounds()
		from, to = utc-microsDay, utc+microsDay
		if !start.IsZero() {
			from = start.UnixMicro() + 2*microsDay
		}
		if !end.IsZero() {
			to = end.UnixMicro() - 2*microsDay
		}
		return utc, from, to, before
	}
	// Around a change: before's offset is right if it leads to an instant that still has
	// it (this also chooses the earlier of two); in a gap it moves the time forward.
	if offsetAt(zone, local-before) == before || offsetAt(zone, local-after) != after {
		return local - before, 0, 0, 0
	}
	return local - after, 0, 0, 0
}

func offsetAt(zone *time.Location, utc int64) int64 {
	_, s := time.UnixMicro(utc).In(zone).Zone()
	return int64(s) * microsSecond
}

// civil is midnight of a day of the proleptic Gregorian calendar in µs.
func civil(y, m, d int) (int64, bool) {
	if m < 1 || m > 12 || d < 1 || d > daysIn(y, m) {
		return 0, false
	}
	if m <= 2 {
		y--
		m += 12
	}
	era := floorDiv(int64(y), 400)
	yoe := int64(y) - era*400
	doy := int64(153*(m-3)+2)/5 + int64(d) - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return (era*146097 + doe - 719468) * microsDay, true
}

func daysIn(y, m int) int {
	if m == 2 && y%4 == 0 && (y%100 != 0 || y%400 == 0) {
		return 29
	}
	return [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[m-1]
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
