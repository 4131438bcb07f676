package types

import (
	"fmt"
	"time"
)

// Windowing is a family of time windows: every Slide one begins, of length Size; one
// begins at Offset after 1970-01-01. Windows of whole days, weeks or months follow
// the wall clock of the session zone; all others are spans of elapsed time.
type Windowing struct {
	Size, Slide, Offset IntervalValue
	Zone                *time.Location // of TIMESTAMP; UTC for TIMESTAMP_NTZ
}

// NewWindowing checks a family of windows: sizes are positive, either months alone
// or days and time, and no window is longer than many slides.
func NewWindowing(size, slide, offset IntervalValue, zone *time.Location) (Windowing, error) {
	w := Windowing{Size: size, Slide: slide, Offset: offset, Zone: zone}
	for _, x := range []IntervalValue{size, slide} {
		if x.Span().Sign() <= 0 || x.Months != 0 && (x.Days != 0 || x.Micros != 0) || x.Months < 0 || x.Days < 0 || x.Micros < 0 {
			return w, fmt.Errorf("needs a positive interval of months, or of days and time, as window size, got %s", x)
		}
	}
	if offset.Months != 0 {
		return w, fmt.Errorf("needs an offset of days and time, got %s", offset)
	}
	if (size.Months != 0) != (slide.Months != 0) {
		return w, fmt.Errorf("cannot mix a window of %s with a slide of %s", size, slide)
	}
	if size.Cmp(slide) < 0 {
		return w, fmt.Errorf("needs a slide no longer than the window of %s, got %s", size, slide)
	}
	if size.Months == 0 && w.fixed(size)/w.fixed(slide) > maxOverlap {
		return w, fmt.Errorf("puts a row into more than %d windows", maxOverlap)
	}
	return w, nil
}

// maxOverlap bounds the windows that one row is in.
const maxOverlap = 100_000

// fixed is the length of an interval without months, a day as 24 hours.
func (w Windowing) fixed(x IntervalValue) int64 {
	return int64(x.Days)*MicrosPerDay + x.Micros
}

// Civil reports windows that follow the wall clock: whole days or months.
func (w Windowing) Civil() bool {
	whole := w.Size.Micros%MicrosPerDay == 0 && w.Slide.Micros%MicrosPerDay == 0
	return whole && w.Zone != time.UTC || w.Slide.Months != 0
}

// Last is the start of the last window that begins at or before t.
func (w Windowing) Last(t int64) int64 {
	if !w.Civil() {
		slide, offset := w.Fixed()
		return t - FloorMod(t-offset, slide)
	}
	local := ToLocal(t, w.Zone) - w.fixed(w.Offset)
	if w.Slide.Months == 0 {
		slide := w.fixed(w.Slide)
		return FromLocal(local-FloorMod(local, slide)+w.fixed(w.Offset), w.Zone)
	}
	y, m, _ := CivilFromDays(FloorDiv(local, MicrosPerDay))
	n := (int64(y)-1970)*12 + int64(m) - 1
	n -= FloorMod(n, int64(w.Slide.Months))
	return FromLocal(monthStart(n)+w.fixed(w.Offset), w.Zone)
}

// monthStart is the wall clock start of the n-th month since 1970-01.
func monthStart(n int64) int64 {
	return DaysFromCivil(int(1970+FloorDiv(n, 12)), int(FloorMod(n, 12))+1, 1) * MicrosPerDay
}

// Before is the start of the window before the one that begins at start.
func (w Windowing) Before(start int64) int64 {
	if !w.Civil() {
		return start - w.fixed(w.Slide)
	}
	return w.Last(start - 1)
}

// End is the end of the window that begins at start.
func (w Windowing) End(start int64) int64 {
	if !w.Civil() {
		return start + w.fixed(w.Size)
	}
	local := ToLocal(start, w.Zone) - w.fixed(w.Offset)
	if w.Size.Months == 0 {
		return FromLocal(local+w.fixed(w.Size)+w.fixed(w.Offset), w.Zone)
	}
	y, m, _ := CivilFromDays(FloorDiv(local, MicrosPerDay))
	n := (int64(y)-1970)*12 + int64(m) - 1 + int64(w.Size.Months)
	return FromLocal(monthStart(n)+w.fixed(w.Offset), w.Zone)
}

// Each calls do for every window that contains t, the last one first.
func (w Windowing) Each(t int64, do func(start, end int64)) {
	for start := w.Last(t); ; start = w.Before(start) {
		end := w.End(start)
		if end <= t {
			return
		}
		do(start, end)
	}
}

// Fixed is the slide and the offset in µs of windows that are not Civil.
func (w Windowing) Fixed() (slide, offset int64) { return w.fixed(w.Slide), w.fixed(w.Offset) }
