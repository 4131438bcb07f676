package protobuf

import (
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format/registry"
)

// What a schema imports comes from its references, or is one of the files that everybody has.
func TestParse(t *testing.T) {
	refs := []registry.Reference{
		{Name: "a.proto", Text: `syntax = "proto3"; import "b.proto"; message A { B b = 1; }`},
		{Name: "b.proto", Text: `syntax = "proto3"; import "google/protobuf/struct.proto"; message B { google.protobuf.Value v = 1; }`},
		{Name: "c.proto", Text: `syntax = "proto3"; import "c.proto"; message C {}`},
	}
	for text, want := range map[string]string{
		`import "a.proto"; import "b.proto"; message M { A a = 1; B b = 2; }`: "",
		`import "google/protobuf/type.proto"; import "google/protobuf/descriptor.proto"; extend google.protobuf.FieldOptions { int32 o = 50000; } message M { string s = 1 [(o) = 3, deprecated = true]; }`: "",
		`import "d.proto"; message M { }`:                     `"d.proto" is imported, and not among the references of the schema`,
		`import "c.proto"; message M { }`:                     `"c.proto" imports itself`,
		`message M { A a = 1; }`:                              "schema.proto:1:",
		`message M { string s = 1; string t = 1; }`:           "same tag",
		`message M { string s = 1 [no_such_option = true]; }`: "no_such_option",
	} {
		_, err := parse(`syntax = "proto3"; `+text, refs)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
