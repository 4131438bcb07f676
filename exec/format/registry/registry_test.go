package registry_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format/registry"
	"github.com/sqlstream/sqlstream/exec/format/registry/registrytest"
	"github.com/sqlstream/sqlstream/exec/option"
)

func open(t *testing.T, pairs ...string) (*registry.Client, error) {
	t.Helper()
	var values []option.Value
	for i := 0; i < len(pairs); i += 2 {
		values = append(values, option.Value{Name: pairs[i], Text: pairs[i+1]})
	}
	d, err := option.Decode(registry.WriteOptions(), values)
	if err != nil {
		t.Fatal(err)
	}
	return registry.Open(d)
}

func started(t *testing.T, h http.Handler, pairs ...string) *registry.Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c, err := open(t, append([]string{"schema_registry", s.URL}, pairs...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLookUps(t *testing.T) {
	server := registrytest.New(map[int]string{1: `"string"`})
	server.Add("base", "AVRO", `{"base":1}`)
	server.Add("middle", "AVRO", `{"middle":1}`, registrytest.Reference{Name: "base", Subject: "base", Version: 1})
	server.Add("orders-value", "PROTOBUF", "syntax", registrytest.Reference{Name: "middle", Subject: "middle", Version: 1}, registrytest.Reference{Name: "base", Subject: "base", Version: 1})
	c := started(t, server)
	for range 3 {
		if s, err := c.ByID(t.Context(), 1); err != nil || s.Text != `"string"` || s.Kind != registry.Avro {
			t.Fatalf("%v, %v", s, err)
		}
		if _, err := c.ByID(t.Context(), 2); !errors.Is(err, registry.ErrUnknown) || !strings.Contains(err.Error(), "schema 2") {
			t.Fatalf("an unknown id: %v", err)
		}
	}
	if n := server.Requests(); n != 2 {
		t.Errorf("%d requests for two ids", n)
	}
	s, err := c.Latest(t.Context(), "orders-value")
	if err != nil || s.Kind != registry.Protobuf || len(s.References) != 2 || s.References[0].Name != "base" || s.References[1].Name != "middle" {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := c.Latest(t.Context(), "other"); !errors.Is(err, registry.ErrUnknown) || !strings.Contains(err.Error(), `subject "other"`) {
		t.Errorf("an unknown subject: %v", err)
	}
}

func TestRegister(t *testing.T) {
	server := registrytest.New(nil)
	c := started(t, server)
	if _, err := c.Register(t.Context(), "s", registry.Avro, `"int"`, false); err == nil || !strings.Contains(err.Error(), "auto_register_schemas is false") {
		t.Errorf("without registering: %v", err)
	}
	id, err := c.Register(t.Context(), "s", registry.Avro, `"int"`, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, create := range []bool{true, false} {
		if again, err := c.Register(t.Context(), "s", registry.Avro, `"int"`, create); err != nil || again != id {
			t.Errorf("again: %d, %v", again, err)
		}
	}
}

func TestRetries(t *testing.T) {
	server := registrytest.New(map[int]string{1: `"string"`})
	c := started(t, server)
	server.Fail(503, 429)
	if _, err := c.ByID(t.Context(), 1); err != nil || server.Requests() != 3 {
		t.Errorf("%d requests, %v", server.Requests(), err)
	}
	server.Fail(500, 500, 500, 500, 500, 500)
	short := started(t, server, "schema_registry_timeout", "250 ms")
	if _, err := short.ByID(t.Context(), 1); err == nil || errors.Is(err, registry.ErrUnknown) || !strings.Contains(err.Error(), "HTTP 500") {
		t.Errorf("a failing registry: %v", err)
	}
	down, err := open(t, "schema_registry", "http://127.0.0.1:1", "schema_registry_timeout", "150 ms")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := down.ByID(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "schema registry http://127.0.0.1:1: schema 1: it cannot be reached") {
		t.Errorf("no registry: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := down.ByID(ctx, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestMessagesOfErrors(t *testing.T) {
	for status, want := range map[int]string{
		401: "it refused the credentials (HTTP 401); see schema_registry_user",
		403: "it refused the credentials",
		404: "there is no such address",
		409: "the schema is incompatible with an earlier one of the subject: as the test demands",
		422: "HTTP 422: as the test demands",
	} {
		server := registrytest.New(nil)
		server.Fail(status)
		_, err := started(t, server).Register(t.Context(), "s", registry.Avro, `"int"`, true)
		if err == nil || !strings.Contains(err.Error(), `subject "s": `+want) {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func TestCredentials(t *testing.T) {
	const secret = "s3cret"
	var got []string
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization"))
		w.WriteHeader(401)
	})
	for _, opts := range [][]string{{"schema_registry_user", "ana", "schema_registry_password", secret}, {"schema_registry_token", secret}} {
		_, err := started(t, h, opts...).ByID(t.Context(), 1)
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%v: %v", opts, err)
		}
	}
	if len(got) != 2 || !strings.HasPrefix(got[0], "Basic ") || got[1] != "Bearer "+secret {
		t.Errorf("sent %q", got)
	}
}

func TestRefusedOptions(t *testing.T) {
	for want, opts := range map[string][]string{
		"do not belong into":        {"schema_registry", "http://ana:s3cret@host:1"},
		"none of the form":          {"schema_registry", "ftp://host"},
		"but no schema_registry":    {"schema_registry_token", "s3cret"},
		"needs schema_registry_use": {"schema_registry", "h:1", "schema_registry_password", "s3cret"},
		"not both":                  {"schema_registry", "h:1", "schema_registry_user", "a", "schema_registry_token", "s3cret"},
		"no certificate":            {"schema_registry", "h:1", "schema_registry_ca", "s3cret"},
		"are no pair":               {"schema_registry", "h:1", "schema_registry_key", "s3cret"},
	} {
		if _, err := open(t, opts...); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%v: %v, want %q", opts, err, want)
		}
	}
	if c, err := open(t); c != nil || err != nil {
		t.Errorf("without options: %v, %v", c, err)
	}
}
