package types

import "testing"

func TestUUID(t *testing.T) {
	const want = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
	for _, in := range []string{want, "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}", "a0eebc999c0b4ef8bb6d6bb9bd380a11",
		"a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11", "{a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11}", " " + want + " "} {
		id, err := ParseUUID(in)
		if got := string(AppendUUID(nil, id[:])); err != nil || got != want {
			t.Errorf("%q is %s, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "{}", want[:35], want + "0", "g" + want[1:], "-" + want, want + "-", "a0eebc99--9c0b4ef8bb6d6bb9bd380a11", "{" + want, want + "}",
		"a0e-ebc999c0b4ef8bb6d6bb9bd380a11"} {
		if id, err := ParseUUID(in); err == nil {
			t.Errorf("%q is %x", in, id)
		}
	}
}

func TestTimeOfDay(t *testing.T) {
	for in, want := range map[string]string{"10:00:00.5": "10:00:00.5", "10:00": "10:00:00", " 7:05:01 ": "07:05:01", "23:59:59.9999999": "23:59:59.999999", "00:00:00.000001": "00:00:00.000001"} {
		x, err := ParseTime(in)
		if got := string(AppendTimeOfDay(nil, x)); err != nil || got != want {
			t.Errorf("%q is %s, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "10", "24:00:00", "10:60", "10:00:60", "10:00:00Z", "10:00:00+02", "-1:00:00", "10:0", "1:2:3", "10:00:00."} {
		if x, err := ParseTime(in); err == nil {
			t.Errorf("%q is %d", in, x)
		}
	}
}
