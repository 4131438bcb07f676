package types

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"
	_ "time/tzdata"
)

func mustZone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := LoadZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// TestCivilDays walks through the range, in steps of three days, against package time.
func TestCivilDays(t *testing.T) {
	at := time.Date(MinYear, 1, 1, 0, 0, 0, 0, time.UTC)
	for day := int64(MinDay); day <= MaxDay; day += 3 {
		y, m, d := CivilFromDays(day)
		if y != at.Year() || m != int(at.Month()) || d != at.Day() {
			t.Fatalf("day %d is %d-%d-%d, want %v", day, y, m, d, at)
		}
		if got := DaysFromCivil(y, m, d); got != day {
			t.Fatalf("%v is day %d, want %d", at, got, day)
		}
		at = at.AddDate(0, 0, 3)
	}
	for y := 1; y < 2500; y++ {
		for m := 1; m <= 12; m++ {
			if want := time.Date(y, time.Month(m)+1, 0, 0, 0, 0, 0, time.UTC).Day(); DaysInMonth(y, m) != want {
				t.Fatalf("%d-%d has %d days, want %d", y, m, DaysInMonth(y, m), want)
			}
		}
	}
}

func TestFloor(t *testing.T) {
	for _, c := range [][4]int64{{7, 3, 2, 1}, {-7, 3, -3, 2}, {-6, 3, -2, 0}, {0, 3, 0, 0}, {-1, 86400, -1, 86399}} {
		if FloorDiv(c[0], c[1]) != c[2] || FloorMod(c[0], c[1]) != c[3] {
			t.Errorf("%d by %d: %d rest %d", c[0], c[1], FloorDiv(c[0], c[1]), FloorMod(c[0], c[1]))
		}
	}
}

func TestTimestampAgainstTime(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	zones := []*time.Location{time.UTC, mustZone(t, "America/New_York"), mustZone(t, "Asia/Kolkata"), mustZone(t, "+05:45")}
	first, last := time.Date(1, 1, 3, 0, 0, 0, 0, time.UTC).UnixMicro(), time.Date(9999, 12, 29, 0, 0, 0, 0, time.UTC).UnixMicro()
	for range 30000 {
		us := first + r.Int64N(last-first)
		switch r.IntN(3) {
		case 0:
			us = FloorDiv(us, MicrosPerSecond) * MicrosPerSecond
		case 1:
			us = r.Int64N(4e15) - 2e15
		}
		zone := zones[r.IntN(len(zones))]
		at := time.UnixMicro(us).In(zone)
		text := string(AppendTimestamp(nil, us, zone))
		if want := at.Format("2006-01-02 15:04:05.999999"); text != want {
			t.Fatalf("%d in %v prints as %s, want %s", us, zone, text, want)
		}
		if got, err := ParseTimestamp(at.Format("2006-01-02T15:04:05.999999Z07:00:00"), time.UTC); err != nil || got != us {
			t.Fatalf("%v reads as %d, %v, want %d", at, got, err, us)
		}
		if ToLocal(us, zone) != time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), time.UTC).UnixMicro() {
			t.Fatalf("local time of %v", at)
		}
		back, err := ParseTimestamp(text, zone)
		if twice := string(AppendTimestamp(nil, back, zone)); err != nil || twice != text || back > us {
			t.Fatalf("%s in %v reads as %s, %v", text, zone, twice, err)
		}
	}
}

func TestParseTimestampForms(t *testing.T) {
	berlin := mustZone(t, "Europe/Berlin")
	at := func(s string) int64 {
		x, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return x.UnixMicro()
	}
	for text, want := range map[string]int64{
		"2024-06-01":                          at("2024-05-31T22:00:00Z"),
		" 2024-06-01 \t":                      at("2024-05-31T22:00:00Z"),
		"2024-06-01 12:34":                    at("2024-06-01T10:34:00Z"),
		"2024-06-01T12:34:56.1":               at("2024-06-01T10:34:56.1Z"),
		"2024-06-01t12:34:56.123456789z":      at("2024-06-01T12:34:56.123456Z"),
		"2024-06-01 12:34:56+02":              at("2024-06-01T10:34:56Z"),
		"2024-06-01 12:34:56-0330":            at("2024-06-01T16:04:56Z"),
		"2024-06-01 12:34+05:30":              at("2024-06-01T07:04:00Z"),
		"2024-06-01 12:34:56 America/Chicago": at("2024-06-01T17:34:56Z"),
		"2024-06-01 12:34:56 UTC":             at("2024-06-01T12:34:56Z"),
		"2024-06-01Z":                         at("2024-06-01T00:00:00Z"),
		"0001-01-01 00:00:00Z":                at("0001-01-01T00:00:00Z"),
		"9999-12-31 23:59:59.999999Z":         at("9999-12-31T23:59:59.999999Z"),
		"2024-03-31 02:30:00":                 at("2024-03-31T01:30:00Z"), // skipped: moves by the gap to 03:30
		"2024-10-27 02:30:00":                 at("2024-10-27T00:30:00Z"), // twice: the earlier
		"2024-10-27 03:00:00":                 at("2024-10-27T02:00:00Z"),
	} {
		if got, err := ParseTimestamp(text, berlin); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, time.UnixMicro(got).UTC(), err, time.UnixMicro(want).UTC())
		}
	}
	for text, want := range map[string]error{
		"": ErrTimeSyntax, "2024": ErrTimeSyntax, "2024-6-01": ErrTimeSyntax, "2024/06/01": ErrTimeSyntax, "2024-06-01 1": ErrTimeSyntax, "2024-06-01 12": ErrTimeSyntax,
		"2024-06-01 12:3x": ErrTimeSyntax, "2024-06-01 12:34:5": ErrZoneName, "2024-06-01 12:34:56.": ErrTimeSyntax, "2024-06-01 12:34:567": ErrTimeSyntax,
		"2024-02-30": ErrTimeRange, "2023-02-29": ErrTimeRange, "2024-13-01": ErrTimeRange, "2024-06-01 24:00": ErrTimeRange,
		"2024-06-01 12:60": ErrTimeRange, "2024-06-01 12:34:60": ErrTimeRange, "2024-06-01 12:34+19": ErrTimeRange, "2024-06-01 12:34+": ErrTimeSyntax,
		"2024-06-01 12:34 Mars/Base": ErrZoneName, "2024-06-01 12:34 Local": ErrZoneName, "2024-06-01x": ErrZoneName, "1717245296": ErrTimeSyntax,
	} {
		if _, err := ParseTimestamp(text, berlin); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

func TestParseNTZAndDate(t *testing.T) {
	for _, text := range []string{"2024-06-01 12:00:00", "2024-06-01T12:00:00Z", "2024-06-01 12:00:00+05:30", "2024-06-01 12:00:00 Europe/Berlin"} {
		if got, err := ParseTimestampNTZ(text); err != nil || got != time.Date(2024, 6, 1, 12, 0, 0, 0, time.UTC).UnixMicro() {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	if _, err := ParseTimestampNTZ("2024-06-01 12:00:00 Mars"); !errors.Is(err, ErrZoneName) {
		t.Errorf("unknown zone: %v", err)
	}
	for text, want := range map[string]int64{"1970-01-01": 0, " 1969-12-31 ": -1, "0000-01-01": MinDay, "0001-01-01": -719162, "9999-12-31": MaxDay} {
		got, err := ParseDate(text)
		if err != nil || got != want {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for text, want := range map[string]error{"2024-01-01 00:00": ErrDateSyntax, "24-01-01": ErrDateSyntax, "2024-01-xx": ErrDateSyntax, "2024-04-31": ErrTimeRange} {
		if _, err := ParseDate(text); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	if got := string(AppendDate(nil, DaysFromCivil(-5, 3, 1))); got != "-0005-03-01" {
		t.Errorf("a year before 0: %s", got)
	}
	if got := string(AppendDate(nil, DaysFromCivil(10000, 1, 1))); got != "+10000-01-01" {
		t.Errorf("a year of five digits: %s", got)
	}
}

// TestFromLocalIsInverse takes every local quarter of an hour around two transitions.
func TestFromLocalIsInverse(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Monrovia"} {
		zone := mustZone(t, name)
		for day := DaysFromCivil(2011, 1, 1); day < DaysFromCivil(2012, 2, 1); day++ {
			for q := range int64(96) {
				local := day*MicrosPerDay + q*15*MicrosPerMinute
				us := FromLocal(local, zone)
				again := ToLocal(us, zone)
				if again < local || again-local > 24*MicrosPerHour {
					t.Fatalf("%s: local %d becomes %d", name, local, again)
				}
				if again == local {
					for _, earlier := range []int64{us - MicrosPerHour, us - MicrosPerHour/2} {
						if ToLocal(earlier, zone) == local {
							t.Fatalf("%s: local %d has an earlier instant", name, local)
						}
					}
				}
			}
		}
	}
}

func TestDatesOfOtherAges(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"0044-03-13 (BC)", "-0043-03-13"}, {"0044-03-13 BC", "-0043-03-13"}, {"-0043-03-13", "-0043-03-13"}, {"0001-01-01 (BC)", "0000-01-01"},
		{"12345-01-02", "+12345-01-02"}, {"+12345-01-02", "+12345-01-02"}, {"-140000-01-01", "-140000-01-01"},
		{"0000-01-01", "0000-01-01"}, {"999999-01-01", ""}, {"0000-01-01 (BC)", ""}, {"-0043-02-30", ""}, {"44-03-13 (BC)", "-0043-03-13"}, {"44-03-13", ""}, {"infinity", "infinity"}, {" -Infinity ", "-infinity"}, {"inf", "infinity"}, {"infinit", ""}, {"infinity 00:00:00", ""}, {"epoch", "1970-01-01"}, {"0044-03-13 (AD)", ""},
	} {
		d, err := ParseDate(c.text)
		if got := string(AppendDate(nil, d)); (err == nil) != (c.want != "") || err == nil && got != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.text, got, err, c.want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"0044-03-13 (BC) 10:33:41+01", "-0043-03-13 09:33:41"}, {"0044-03-13 10:33:41 BC", "-0043-03-13 10:33:41"}, {"+10000-01-01T00:00:00Z", "+10000-01-01 00:00:00"},
		{"infinity", "infinity"}, {"-INF", "-infinity"}, {"epoch", "1970-01-01 00:00:00"},
	} {
		us, err := ParseTimestamp(c.text, time.UTC)
		if got := string(AppendTimestamp(nil, us, time.UTC)); err != nil || got != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.text, got, err, c.want)
		}
	}
}
