package parser

import "testing"

func TestParseDuration(t *testing.T) {
	const s, m, h = 1_000_000, 60_000_000, 3_600_000_000
	for text, want := range map[string]amount{
		"10 minutes":              {0, 0, 10 * m},
		"interval 10 MINUTE":      {0, 0, 10 * m},
		"1 day 2 hours, 3 min":    {0, 1, 2*h + 3*m},
		"90s":                     {0, 0, 90 * s},
		"1h30m":                   {0, 0, h + 30*m},
		"- 5 s":                   {0, 0, -5 * s},
		"1.5 seconds":             {0, 0, 1500_000},
		"0.5 day":                 {0, 0, 12 * h},
		"-1.5 days":               {0, -1, -12 * h},
		"1.5 months":              {1, 15, 0},
		"0.05 years":              {1, 0, 0},
		"1.5 weeks":               {0, 10, 12 * h},
		"0.0000006 s":             {0, 0, 1},
		"2 months -1 day ago":     {-2, 1, 0},
		"1 century 1 decade":      {1320, 0, 0},
		"2 weeks":                 {0, 14, 0},
		"1 year 1 quarter":        {15, 0, 0},
		"02:03:04.5":              {0, 0, 2*h + 3*m + 4*s + 500_000},
		"1 02:03":                 {0, 1, 2*h + 3*m},
		"-1 02:03":                {0, -1, -2*h - 3*m},
		"4 days 05:06:07":         {0, 4, 5*h + 6*m + 7*s},
		"  7\tms ":                {0, 0, 7000},
		"250 us":                  {0, 0, 250},
		"106751991 days 4 hours":  {0, 106751991, 4 * h},
		"-9223372036854775807 us": {0, 0, -9223372036854775807},
	} {
		months, days, micros, err := ParseDuration(text)
		if got := (amount{months, days, micros}); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestParseDurationRefuses(t *testing.T) {
	for _, text := range []string{"", " ", "10", "minutes", "10 minuts", "x 10 minutes", "10 minutes 5",
		"9223372036854775808 us", "300000 years 9223372036854775807 years", "25:61", "1:2:3:4", ":", "1:",
		"1e3 s", "--5 s", "1..5 s", "10 minutes and", "1 day -", "99999999999999999999999999999999999999999999 s"} {
		if _, _, _, err := ParseDuration(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestTemporalLiterals(t *testing.T) {
	for text, ok := range map[string]bool{
		"DATE '2024-02-29'": true, "DATE '2023-02-29'": false, "DATE '2024-13-01'": false, "DATE '2024-1-2'": true,
		"DATE '0000-01-01'": true, "DATE '24-01-01'": false, "DATE '2024-01-01 00:00'": false,
		"TIME '23:59:59.999999'": true, "TIME '24:00'": false, "TIME '1:2'": false, "TIME '12:30'": true,
		"TIMESTAMP '2024-01-01'": true, "TIMESTAMP '2024-01-01T12:30Z'": true, "TIMESTAMP '2024-01-01 12:30:00+02'": true,
		"TIMESTAMP '2024-01-01 12:30:00 -02:30'": true, "TIMESTAMP '2024-01-01 12:30:00+0230'": true,
		"TIMESTAMP '2024-01-01 12:30:00 Europe/Paris'": true, "TIMESTAMP '2024-01-01 12:30:00 Etc/GMT+3'": true,
		"TIMESTAMP '2024-01-01 12'": false, "TIMESTAMP '2024-01-01 12:30:00.1234567890'": false,
		"TIMESTAMP '2024-01-01 12:30:00 5'": false, "TIMESTAMP '2024-01-01x12:30'": false, "TIMESTAMP ''": false,
		"TIMESTAMP_NTZ '2024-01-01 12:30:00'": true, "TIMESTAMP_NTZ '2024-01-01 12:30:00Z'": false,
		"TIMESTAMP WITHOUT TIME ZONE '2024-01-01 12:30:00'": true,
	} {
		if _, err := ParseExpr(sql(text)); (err == nil) != ok {
			t.Errorf("%s: want ok=%v, got %v", text, ok, err)
		}
	}
}
