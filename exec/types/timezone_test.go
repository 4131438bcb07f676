package types

import "testing"

// The case of a zone's name makes no difference.
func TestZoneSpellings(t *testing.T) {
	for name, want := range map[string]string{"us/pacific": "US/Pacific", "EUROPE/london": "Europe/London", "pst8pdt": "PST8PDT", "america/new_york": "America/New_York", "Etc/GMT+5": "Etc/GMT+5", "PST": "America/Los_Angeles", "ist": "Asia/Kolkata", "EST": "-05:00"} {
		if z, err := LoadZone(name); err != nil || z.String() != want {
			t.Errorf("%s is %v, %v, not %s", name, z, err, want)
		}
	}
	for _, name := range []string{"nowhere", "x/", "/", "é/é", "../etc"} {
		if z, err := LoadZone(name); err == nil {
			t.Errorf("%s is %v", name, z)
		}
	}
}
