package catalog

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestNames: the exact name wins, another case finds the only one, and what is dropped is
// found no more.
func TestNames(t *testing.T) {
	c := New(nil, nil)
	for _, n := range []string{"Orders", "orders", "Straße", "ǅ"} {
		c.Put(&View{Name: n})
	}
	c.Put(&View{Name: "Orders"})
	var ambiguous *AmbiguousError
	if _, err := c.Find("ORDERS"); !errors.As(err, &ambiguous) || fmt.Sprint(ambiguous.Names) != "[Orders orders]" {
		t.Errorf("ORDERS: %v", err)
	}
	c.Drop("Orders")
	c.Drop("none")
	for name, want := range map[string]string{"ORDERS": "orders", "orders": "orders", "STRAßE": "Straße", "ǆ": "ǅ", "none": ""} {
		o, err := c.Clone().Find(name)
		if err != nil || (o == nil) != (want == "") || o != nil && o.ObjectName() != want {
			t.Errorf("%s is %v, %v; want %q", name, o, err, want)
		}
	}
}

// TestFold: two letters fold alike just when strings.EqualFold says so.
func TestFold(t *testing.T) {
	letters := []string{"k", "K", "\u212a", "s", "S", "ſ", "ß", "ẞ", "i", "I", "İ", "ı", "µ", "μ", "Μ", "ǅ", "Ǆ", "θ", "ϑ", "é", "É", "7", "\xff", "\ufffd"}
	for _, a := range letters {
		for _, b := range letters {
			if (fold(a) == fold(b)) != strings.EqualFold(a, b) {
				t.Errorf("%q and %q fold to %q and %q", a, b, fold(a), fold(b))
			}
		}
	}
}
