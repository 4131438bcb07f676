package types

// The times before and after all others, as PostgreSQL and DuckDB have them: '-infinity' and
// 'infinity'. They are a DATE and the midnight that it begins with, two days beyond what
// dates reach: with room for zones, and so that differences in µs can still be told.
const (
	InfiniteDay         = LastDay + 2
	MinusInfiniteDay    = FirstDay - 2
	InfiniteMicros      = InfiniteDay * MicrosPerDay
	MinusInfiniteMicros = MinusInfiniteDay * MicrosPerDay
)

// Infinite is 1 for infinity of a DATE, TIMESTAMP or TIMESTAMP_NTZ, -1 for -infinity, and 0
// for every other time.
func (k Kind) Infinite(x int64) int {
	switch high := k.Infinity(1); {
	case x == high:
		return 1
	case x == k.Infinity(-1):
		return -1
	}
	return 0
}

// Infinity is infinity of a DATE, TIMESTAMP or TIMESTAMP_NTZ, or -infinity for a sign below 0.
func (k Kind) Infinity(sign int) int64 {
	switch {
	case k == Date && sign < 0:
		return MinusInfiniteDay
	case k == Date:
		return InfiniteDay
	case sign < 0:
		return MinusInfiniteMicros
	}
	return InfiniteMicros
}

// InfiniteText is how infinity is written.
func InfiniteText(sign int) string {
	if sign < 0 {
		return "-infinity"
	}
	return "infinity"
}

// specialTime reads the words that stand for a time: infinity and epoch.
func specialTime(s string, k Kind) (x int64, ok bool) {
	if len(s) < 3 || len(s) > len("-infinity") || isDigit(s[0]) || isDigit(s[len(s)-1]) {
		return 0, false
	}
	var room [len("-infinity")]byte
	for i := range s {
		room[i] = s[i] | 0x20
	}
	switch string(room[:len(s)]) {
	case "epoch":
		return 0, true
	case "infinity", "inf", "+infinity":
		return k.Infinity(1), true
	case "-infinity", "-inf":
		return k.Infinity(-1), true
	}
	return 0, false
}
