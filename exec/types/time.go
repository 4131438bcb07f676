package types

import (
	"time"
)

// MinYear and MaxYear bound the years of four digits without a sign.
const (
	MinYear = 0
	MaxYear = 9999
)

// The instants of 0001-01-01 and of the end of 9999-12-31, in days since 1970.
const (
	MinDay = -719528
	MaxDay = 2932896
)

// FarYear bounds the years that dates reach, on both sides of 0, FirstDay and LastDay their
// days since 1970: differences of their instants in µs can be told.
const (
	FarYear  = 140000
	FirstDay = -51853478
	LastDay  = 50414787
)

// FloorDiv divides rounding down, so that times before 1970 fall into the right day
// and window. b is positive.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// FloorMod is a − FloorDiv(a, b)·b: 0 ≤ FloorMod < b.
func FloorMod(a, b int64) int64 {
	m := a % b
	if m < 0 {
		m += b
	}
	return m
}

// DaysFromCivil returns the days since 1970 of a date of the proleptic Gregorian
// calendar. month and day may be out of range by any amount for day.
func DaysFromCivil(year, month, day int) int64 {
	y := int64(year)
	if month <= 2 {
		y--
	}
	era := FloorDiv(y, 400)
	yoe := y - era*400
	mp := int64(month+9) % 12
	doy := (153*mp+2)/5 + int64(day) - 1
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy - 719468
}

// CivilFromDays is the inverse of DaysFromCivil.
func CivilFromDays(days int64) (year, month, day int) {
	z := days + 719468
	era := FloorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy - (153*mp+2)/5 + 1)
	month = int(mp + 3)
	if mp >= 10 {
		month = int(mp - 9)
	}
	year = int(yoe + era*400)
	if month <= 2 {
		year++
	}
	return year, month, day
}

// IsLeap reports a leap year.
func IsLeap(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

var monthDays = [13]uint8{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// DaysInMonth is the length of a month, 1 to 12.
func DaysInMonth(year, month int) int {
	if month == 2 && IsLeap(year) {
		return 29
	}
	return int(monthDays[month])
}

// ZoneOffset is the offset from UTC in seconds at an instant in seconds since 1970.
func ZoneOffset(zone *time.Location, sec int64) int64 {
	if zone == time.UTC {
		return 0
	}
	_, off := time.Unix(sec, 0).In(zone).Zone()
	return int64(off)
}

// ToLocal turns an instant into the wall clock of a zone; both in µs since 1970.
func ToLocal(us int64, zone *time.Location) int64 {
	if zone == time.UTC {
		return us
	}
	return us + ZoneOffset(zone, FloorDiv(us, MicrosPerSecond))*MicrosPerSecond
}

// FromLocal turns the wall clock of a zone into an instant. A time that occurs twice
// is the earlier instant; one that is skipped moves forward by the gap (as in Spark).
func FromLocal(local int64, zone *time.Location) int64 {
	if zone == time.UTC {
		return local
	}
	sec := FloorDiv(local, MicrosPerSecond)
	before := ZoneOffset(zone, sec-86400)
	off := before
	if ZoneOffset(zone, sec-before) != before {
		after := ZoneOffset(zone, sec+86400)
		if ZoneOffset(zone, sec-after) == after {
			off = after
		}
	}
	return local - off*MicrosPerSecond
}

// AppendDate appends days since 1970 as YYYY-MM-DD, or infinity.
func AppendDate(dst []byte, days int64) []byte {
	if sign := Date.Infinite(days); sign != 0 {
		return append(dst, InfiniteText(sign)...)
	}
	y, m, d := CivilFromDays(days)
	dst = appendYear(dst, y)
	dst = append2(append(dst, '-'), m)
	return append2(append(dst, '-'), d)
}

// appendYear writes four digits; a year outside 0000 to 9999
// gets a sign and as many digits as it needs (ISO 8601).
func appendYear(dst []byte, y int) []byte {
	if y < 0 || y > MaxYear {
		sign := byte('+')
		if y < 0 {
			sign, y = '-', -y
		}
		dst = append(dst, sign)
	}
	if y > MaxYear {
		return Int128From(int64(y)).Append(dst)
	}
	return append2(append2(dst, y/100), y%100)
}

func append2(dst []byte, n int) []byte {
	return append(dst, byte('0'+n/10), byte('0'+n%10))
}

// AppendTimestamp appends an instant in µs as YYYY-MM-DD hh:mm:ss[.ffffff] on the wall
// clock of a zone, the fraction without trailing zeros; or infinity.
func AppendTimestamp(dst []byte, us int64, zone *time.Location) []byte {
	if sign := Timestamp.Infinite(us); sign != 0 {
		return append(dst, InfiniteText(sign)...)
	}
	local := ToLocal(us, zone)
	day := FloorDiv(local, MicrosPerDay)
	dst = append(AppendDate(dst, day), ' ')
	return AppendTimeOfDay(dst, local-day*MicrosPerDay)
}

// AppendTimeOfDay appends µs since midnight as hh:mm:ss[.ffffff]; more than 99 hours
// take more digits.
func AppendTimeOfDay(dst []byte, us int64) []byte {
	h, m := us/MicrosPerHour, us/MicrosPerMinute%60
	if h > 99 {
		dst = Int128From(h).Append(dst)
	} else {
		dst = append2(dst, int(h))
	}
	dst = append2(append(dst, ':'), int(m))
	dst = append2(append(dst, ':'), int(us/MicrosPerSecond%60))
	return appendFraction(dst, us%MicrosPerSecond)
}

func appendFraction(dst []byte, us int64) []byte {
	if us == 0 {
		return dst
	}
	var f [7]byte
	f[0] = '.'
	for i := 6; i > 0; i-- {
		f[i] = byte('0' + us%10)
		us /= 10
	}
	n := 7
	for f[n-1] == '0' {
		n--
	}
	return append(dst, f[:n]...)
}
