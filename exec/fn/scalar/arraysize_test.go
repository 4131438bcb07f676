package scalar

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// manyTexts is an array of n texts of size bytes, all of them the same bytes.
func manyTexts(n, size int) *vec.Vector {
	refs := make([]vec.StrRef, n)
	for i := range refs {
		refs[i].Len = uint32(size)
	}
	texts := &vec.Vector{Type: text, N: n, Str: refs, Buf: make([]byte, size)}
	return &vec.Vector{Type: types.ArrayOf(text), N: 1, Off: []uint32{0, uint32(n)}, Child: []*vec.Vector{texts}}
}

// TestTooBig checks that what would join to a huge value is refused, not built.
func TestTooBig(t *testing.T) {
	large, separator := manyTexts(100_000, 1000), vec.NewConst(text, strings.Repeat("x", 1<<20), 1)
	nested := &vec.Vector{Type: types.ArrayOf(large.Type), N: 1, Off: []uint32{0, 3}, Child: []*vec.Vector{vec.Gather(large, []int32{0, 0, 0})}}
	for _, c := range []struct {
		name string
		args []*vec.Vector
	}{
		{"array_concat", []*vec.Vector{large, large, large}},
		{"flatten", []*vec.Vector{nested}},
		{"array_join", []*vec.Vector{manyTexts(400, 1), separator}},
		{"concat_ws", []*vec.Vector{separator, manyTexts(400, 1)}},
	} {
		_, err := evalOne(t, c.name, &fn.Ctx{Zone: time.UTC}, c.args)
		if bad := (*fn.DataError)(nil); !errors.As(err, &bad) || bad.Func != c.name || !strings.HasSuffix(bad.Msg, "than 256 MiB") {
			t.Errorf("%s: error %v", c.name, err)
		}
		if c.args[0] == separator || len(c.args) == 2 {
			continue // takes long
		}
		lenient := &fn.Ctx{Zone: time.UTC, NullOnError: true}
		if v, err := evalOne(t, c.name, lenient, c.args); err != nil || !v.IsNull(0) || lenient.Errors != 1 {
			t.Errorf("%s is to be NULL: %v, %d errors", c.name, err, lenient.Errors)
		}
	}
}

// TestBytesIn checks that a value counts the same wherever it stands, and that what lies
// under a NULL does not.
func TestBytesIn(t *testing.T) {
	list := manyTexts(3, 10)
	list.Child[0].Valid = []uint64{0b101}
	constant := *list
	constant.Const, constant.N = true, 7
	dictionary := &vec.Vector{Type: list.Type, N: 2, Dict: list, Codes: []uint32{0, 0}}
	row := &vec.Vector{Type: types.StructOf(types.Field{Name: "a", Type: list.Type}), N: 1, Child: []*vec.Vector{list}}
	for _, v := range []*vec.Vector{list, &constant, dictionary} {
		if n := bytesIn(v, v.N-1); n != 4+3*8+2*10 {
			t.Errorf("%d bytes", n)
		}
	}
	if n := bytesIn(row, 0); n != 4+bytesIn(list, 0) {
		t.Errorf("%d bytes in a struct", n)
	}
}

// evalOne runs a function as the caller of kernels does.
func evalOne(t *testing.T, name string, c *fn.Ctx, args []*vec.Vector) (*vec.Vector, error) {
	t.Helper()
	for _, f := range All() {
		if f.Name != name {
			continue
		}
		types := make([]fn.Arg, len(args))
		for i, a := range args {
			types[i].Type = a.Type
		}
		impl, err := f.Resolve(types)
		if err != nil {
			t.Fatal(err)
		}
		return impl.Eval(c, args, fn.Rows{N: 1})
	}
	t.Fatalf("no function %s", name)
	return nil, nil
}

// TestConcatBound checks that a text that doubles in a recursion comes to an end.
func TestConcatBound(t *testing.T) {
	half := vec.NewConst(text, strings.Repeat("x", maxText/2+1), 1)
	_, err := evalOne(t, "concat", &fn.Ctx{Zone: time.UTC}, []*vec.Vector{half, half})
	if err == nil || !strings.Contains(err.Error(), tooLong) {
		t.Errorf("error %v", err)
	}
	lenient := &fn.Ctx{Zone: time.UTC, NullOnError: true}
	if v, err := evalOne(t, "concat", lenient, []*vec.Vector{half, half}); err != nil || !v.IsNull(0) || lenient.Errors != 1 {
		t.Errorf("NULL is wanted: %v, %d errors", err, lenient.Errors)
	}
}
