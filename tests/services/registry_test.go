//go:build services

package services

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/avro"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/format/json"
	"github.com/sqlstream/sqlstream/exec/format/protobuf"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// registrySubject is a subject of one test in the real registry.
type registrySubject struct {
	*testing.T
	url, subject string
}

func newRegistrySubject(t *testing.T, compatibility string) registrySubject {
	t.Helper()
	s := registrySubject{t, Start(t, "registry")["SCHEMA_REGISTRY_URL"], fmt.Sprintf("%s-%d-value", t.Name(), time.Now().UnixNano())}
	s.subject = strings.ReplaceAll(s.subject, "/", "-")
	if compatibility == "" {
		return s
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.url+"/config/"+s.subject, strings.NewReader(`{"compatibility":"`+compatibility+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode >= 300 {
		t.Fatal(resp.Status)
	}
	return s
}

// encode writes rows as messages with a schema of their columns.
func (s registrySubject) encode(f *format.Format, cols []types.Column, b *vec.Batch, opts ...string) ([][]byte, error) {
	s.Helper()
	c := formattest.Config(s, f.WriteOptions, cols, append(opts, "schema_registry", s.url)...)
	c.Messages, c.Subject = true, s.subject
	w, err := f.NewWriter(c)
	if err != nil {
		return nil, err
	}
	e, err := w.(format.MessageWriter).NewEncoder(s.Context())
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for row := range b.N {
		text, err := e.Append(nil, b, row)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// columns are those of the newest schema.
func (s registrySubject) columns(f *format.Format) []types.Column {
	s.Helper()
	c := formattest.Config(s, f.ReadOptions, nil, "schema_registry", s.url)
	c.Messages, c.Subject = true, s.subject
	cols, err := f.InferMessages(s.Context(), c)
	if err != nil {
		s.Fatal(err)
	}
	return cols
}

func (s registrySubject) decode(f *format.Format, cols []types.Column, messages ...[]byte) []string {
	s.Helper()
	c := formattest.Config(s, f.ReadOptions, cols, "schema_registry", s.url)
	c.Messages, c.Subject = true, s.subject
	r, err := f.NewReader(c)
	if err != nil {
		s.Fatal(err)
	}
	rows, _, err := formattest.ReadMessages(r, len(cols), formattest.Messages(messages...))
	if err != nil {
		s.Fatal(err)
	}
	return rows
}

// Messages of an older and a newer schema are read into the newest columns, and a schema
// that would break readers is refused.
func TestRegistryEvolution(t *testing.T) {
	for _, f := range []*format.Format{avro.Format(), protobuf.Format(), json.Format()} {
		t.Run(f.Name, func(t *testing.T) {
			s := newRegistrySubject(t, "BACKWARD")
			first := formattest.Columns("id", types.Int64, "s", types.String)
			second := formattest.Columns("id", types.Int64, "s", types.String, "n", types.ArrayOf(types.Of(types.Float64)))
			old, err := s.encode(f, first, vec.NewBatch(vec.FromAny(first[0].Type, 1, 2), vec.FromAny(first[1].Type, "a", nil)))
			if err != nil {
				t.Fatal(err)
			}
			now, err := s.encode(f, second, vec.NewBatch(vec.FromAny(second[0].Type, 3), vec.FromAny(second[1].Type, "c"), vec.FromAny(second[2].Type, []any{0.5})))
			if err != nil {
				t.Fatal(err)
			}
			cols := s.columns(f)
			if len(cols) != 3 || !cols[2].Type.Equal(second[2].Type) {
				t.Fatalf("columns %v", cols)
			}
			missing := "NULL"
			want := []string{`0: 1 | "a" | ` + missing, `1: 2 | NULL | ` + missing, `2: 3 | "c" | [0.5]`}
			formattest.Same(t, "rows", s.decode(f, cols, append(old, now...)...), want)

			broken := formattest.Columns("id", types.String)
			if f.Name == "protobuf" {
				broken = formattest.Columns("id", types.Float64)
			}
			_, err = s.encode(f, broken, vec.NewBatch(vec.FromAny(broken[0].Type, nil)))
			if err == nil || !strings.Contains(err.Error(), "incompatible with an earlier one of the subject") || !strings.Contains(err.Error(), s.subject) {
				t.Errorf("an incompatible schema: %v", err)
			}
		})
	}
}

func TestRegistryKnowsNothing(t *testing.T) {
	s := newRegistrySubject(t, "")
	f := avro.Format()
	cols := formattest.Columns("id", types.Int64)
	b := vec.NewBatch(vec.FromAny(cols[0].Type, 1))
	if _, err := s.encode(f, cols, b, "auto_register_schemas", "false"); err == nil || !strings.Contains(err.Error(), "auto_register_schemas is false") {
		t.Errorf("without registering: %v", err)
	}
	c := formattest.Config(t, f.ReadOptions, cols, "schema_registry", s.url)
	c.Messages, c.Subject = true, s.subject
	if _, err := f.InferMessages(t.Context(), c); err == nil || !strings.Contains(err.Error(), s.subject) || !strings.Contains(err.Error(), "not found") {
		t.Errorf("an unknown subject: %v", err)
	}
	r, err := f.NewReader(c)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = formattest.ReadMessages(r, 1, formattest.Messages([]byte("\x00\x7f\x00\x00\x00\x02\x02")))
	var bad *format.RowError
	if !errors.As(err, &bad) || !strings.Contains(bad.Reason, "not found") || bad.Position != "message 0" {
		t.Errorf("an unknown schema: %v", err)
	}
	c = formattest.Config(t, f.ReadOptions, cols, "schema_registry", strings.TrimSuffix(s.url, "/apis/ccompat/v7")+"/nothing/here")
	c.Subject = s.subject
	if _, err := f.InferMessages(t.Context(), c); err == nil || !strings.Contains(err.Error(), "there is no such address") {
		t.Errorf("a wrong address: %v", err)
	}
}
