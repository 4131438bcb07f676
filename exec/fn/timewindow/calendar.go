package timewindow

import (
	"fmt"
	"math"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
)

// calendar does the arithmetic of windows; with a zone, days and months are those of its
// clocks, otherwise a day has 24 hours. A bound of a window is the first moment at which
// the clocks show it, or, where they skip it, the moment of the skip and what is left.
type calendar struct{ zone *time.Location }

// floor is the start of the tumbling window of t: windows of months are counted from
// January 1970, others from 1970-01-01 00:00.
func (c calendar) floor(t int64, size, offset types.IntervalValue) int64 {
	if c.zone == nil {
		return floorWall(t, size, Micros(offset))
	}
	w := floorWall(c.wall(t), size, Micros(offset))
	s := c.instant(w)
	for s > t { // the clocks were put forward over the start
		w = floorWall(w-1, size, Micros(offset))
		s = c.instant(w)
	}
	for { // the clocks were put back over the start
		w = addWall(w, size)
		next := c.instant(w)
		if next > t {
			return s
		}
		s = next
	}
}

// add is the end of the window that starts at start.
func (c calendar) add(start int64, size types.IntervalValue) int64 {
	if c.zone == nil {
		return addWall(start, size)
	}
	w := c.wall(start)
	if skipped := start + c.offset(start-1); skipped < w && skipped%microsPerDay == 0 && (w%microsPerDay != 0 || floorWall(w, size, 0) != w) {
		w = skipped // the clocks were put forward at midnight
	}
	for {
		w = addWall(w, size)
		if end := c.instant(w); end > start {
			return end
		}
	}
}

// floorWall is the greatest start of a window that is not above a clock reading.
func floorWall(t int64, size types.IntervalValue, offset int64) int64 {
	if size.Months == 0 {
		return floor(t-offset, Micros(size)) + offset
	}
	d := time.UnixMicro(t - offset).UTC()
	months := floor(int64(d.Year()-1970)*12+int64(d.Month()-1), int64(size.Months))
	return time.Date(1970, time.Month(months+1), 1, 0, 0, 0, 0, time.UTC).UnixMicro() + offset
}

// addWall moves a clock reading by the size of a window.
func addWall(t int64, size types.IntervalValue) int64 {
	if size.Months == 0 {
		return t + Micros(size)
	}
	if v, ok := size.AddToTimestamp(t, time.UTC); ok {
		return v
	}
	return math.MaxInt64
}

// wall is the local clock reading of an instant, as µs since 1970 local time.
func (c calendar) wall(t int64) int64 { return t + c.offset(t) }

func (c calendar) offset(t int64) int64 {
	_, off := time.UnixMicro(t).In(c.zone).Zone()
	return int64(off) * 1e6
}

// instant is the first moment of a clock reading. In a gap, it is as far behind its
// beginning as the reading is.
func (c calendar) instant(wall int64) int64 {
	const day = microsPerDay
	first := wall - c.offset(wall-day) // by the clocks as they were before
	if c.wall(first) == wall {
		return first
	}
	if later := wall - c.offset(wall+day); c.wall(later) == wall {
		return later
	}
	return first
}

// IsCalendar reports windows whose length depends on where they lie: of months, or of days
// in a zone.
func IsCalendar(size types.IntervalValue, zone *time.Location) bool {
	return size.Months != 0 || IsDays(size) && zone != nil && zone != time.UTC
}

// Windows are windows of which a time is in several. Sliding ones start at Offset plus
// multiples of Slide, and last for Size. Cumulating ones start at Offset plus multiples of
// Size, and there is one that lasts for each multiple of Slide up to Size.
type Windows struct {
	Size, Slide, Offset types.IntervalValue
	Cumulate            bool
}

// String says which windows these are.
func (w Windows) String() string {
	text := fmt.Sprintf("windows of %s every %s", w.Size, w.Slide)
	if w.Cumulate {
		text = fmt.Sprintf("windows of up to %s, growing by %s", w.Size, w.Slide)
	}
	if w.Offset != (types.IntervalValue{}) {
		text += " from " + w.Offset.String()
	}
	return text
}

// Of appends what tells the windows of a time: their starts, ascending, or of cumulating
// ones their ends. zone is nil for clock readings and in UTC.
func (w Windows) Of(zone *time.Location, t int64, dst []int64) []int64 {
	if types.Timestamp.Infinite(t) != 0 {
		return append(dst, t) // begins and ends with itself
	}
	if w.Cumulate {
		return w.ends(zone, t, dst)
	}
	from := len(dst)
	step, size := calendarOf(zone, w.Slide), calendarOf(zone, w.Size)
	for s := step.floor(t, w.Slide, w.Offset); size.add(s, w.Size) > t; s = step.floor(s-1, w.Slide, w.Offset) {
		dst = append(dst, s)
	}
	for i, j := from, len(dst)-1; i < j; i, j = i+1, j-1 {
		dst[i], dst[j] = dst[j], dst[i]
	}
	return dst
}

// calendarOf is the arithmetic for windows of a size.
func calendarOf(zone *time.Location, size types.IntervalValue) calendar {
	if IsCalendar(size, zone) && zone != time.UTC {
		return calendar{zone}
	}
	return calendar{}
}

// firstOpen is the start of the earliest sliding window that ends after t.
func (w Windows) firstOpen(zone *time.Location, t int64) int64 {
	if types.Timestamp.Infinite(t) != 0 {
		return t
	}
	step, size := calendarOf(zone, w.Slide), calendarOf(zone, w.Size)
	if !IsCalendar(w.Slide, step.zone) && !IsCalendar(w.Size, size.zone) {
		return floorWall(t-Micros(w.Size), w.Slide, Micros(w.Offset)) + Micros(w.Slide)
	}
	s := step.floor(t, w.Slide, w.Offset)
	for {
		before := step.floor(s-1, w.Slide, w.Offset)
		if size.add(before, w.Size) <= t {
			return s
		}
		s = before
	}
}

// ends appends the ends of the cumulating windows of a time.
func (w Windows) ends(zone *time.Location, t int64, dst []int64) []int64 {
	c, step := calendarOf(zone, w.Size), calendarOf(zone, w.Slide)
	start := c.floor(t, w.Size, w.Offset)
	last := c.add(start, w.Size)
	for k := w.stepsTo(start, t); ; k++ {
		end := step.add(start, times(w.Slide, k))
		if end >= last {
			return append(dst, last)
		}
		if end > t {
			dst = append(dst, end)
		}
	}
}

// nextEnd is the least end of a cumulating window that is after t.
func (w Windows) nextEnd(zone *time.Location, t int64) int64 {
	if types.Timestamp.Infinite(t) != 0 {
		return t
	}
	c, step := calendarOf(zone, w.Size), calendarOf(zone, w.Slide)
	start := c.floor(t, w.Size, w.Offset)
	last := c.add(start, w.Size)
	for k := w.stepsTo(start, t); ; k++ {
		if end := step.add(start, times(w.Slide, k)); end > t || end >= last {
			return min(end, last)
		}
	}
}

// stepsTo is a number of steps that do not lead beyond t, or 1.
func (w Windows) stepsTo(start, t int64) int64 {
	if w.Slide.Months != 0 || IsDays(w.Slide) {
		return 1
	}
	return max(1, (t-start)/Micros(w.Slide)-1)
}

func times(v types.IntervalValue, k int64) types.IntervalValue {
	return types.IntervalValue{Months: v.Months * int32(k), Days: v.Days * int32(k), Micros: v.Micros * k}
}

// Floor is the start of the tumbling window of t whose size has no months. The windows are
// counted from origin, µs since 1970 as the clocks of the zone show it.
func Floor(zone *time.Location, t int64, size types.IntervalValue, origin int64) int64 {
	var c calendar
	if zone != time.UTC {
		c.zone = zone
	}
	n := Micros(size)
	return c.floor(t, size, types.IntervalValue{Micros: floorMod(origin, n)})
}

func floorMod(x, n int64) int64 { return x - floor(x, n) }
