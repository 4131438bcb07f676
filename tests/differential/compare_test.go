package differential

import "testing"

func TestPlainNumber(t *testing.T) {
	for in, want := range map[string]string{"1.50": "1.5", "-0.00": "0", "1.5E-7": ".00000015", "1E+3": "1000", "-12.30e1": "-123", "007": "7", "0": "0"} {
		if got := plainNumber(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestParseInterval(t *testing.T) {
	for in, want := range map[string]length{
		"14 3 4500000":                           {14, 3*dayMicros + 4_500_000},
		"INTERVAL '-1-2' YEAR TO MONTH":          {-14, 0},
		"INTERVAL '-1 02:03:04.5' DAY TO SECOND": {0, -(dayMicros + 2*3_600_000_000 + 3*60_000_000 + 4_500_000)},
		"1 year 2 months 3 days -04:00:00":       {14, 3*dayMicros - 4*3_600_000_000},
		"1 years 2 months 25 days 4.5 seconds":   {14, 25*dayMicros + 4_500_000},
		"INTERVAL '-0.000001' SECOND":            {0, -1},
	} {
		if got, ok := parseInterval(in); !ok || got != want {
			t.Errorf("%s: %v, want %v", in, got, want)
		}
	}
}
