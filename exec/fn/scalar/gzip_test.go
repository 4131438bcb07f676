package scalar

import (
	"bytes"
	"compress/gzip"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// A bad row fails alone, is NULL where errors are, and leaves the rows beside it as they
// are; what would become too much is refused.
func TestGunzip(t *testing.T) {
	pack := func(text []byte) []byte {
		var buf bytes.Buffer
		w := gzip.NewWriter(&buf)
		w.Write(text)
		w.Close()
		return buf.Bytes()
	}
	good := pack([]byte("stream"))
	b := vec.NewBuilder(blob)
	for _, x := range [][]byte{good, []byte("no gzip"), good[:len(good)-3], {}, pack(make([]byte, maxUnzipped+1)), pack(nil), good} {
		b.AppendBytes(x)
	}
	in := []*vec.Vector{b.Take()}
	c := &fn.Ctx{NullOnError: true}
	out, err := gunzipped(c, in, fn.Rows{N: 7})
	if err != nil || c.Errors != 4 {
		t.Fatalf("%v, %d errors", err, c.Errors)
	}
	for r, want := range []string{"stream", "NULL", "NULL", "NULL", "NULL", "", "stream"} {
		if got := map[bool]string{true: "NULL"}[out.IsNull(r)]; got == "" && out.Text(r) != want || got != "" && got != want {
			t.Errorf("row %d: %q, want %q", r, out.Text(r), want)
		}
	}
	if _, err := gunzipped(&fn.Ctx{}, in, fn.Rows{N: 7, Sel: []int32{0, 1}}); err == nil {
		t.Error("bad data is no error")
	}
}
