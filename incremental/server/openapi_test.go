package server

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// The description has every route and nothing else, and its references lead somewhere.
func TestOpenAPI(t *testing.T) {
	w := newWorld(t)
	var d struct {
		OpenAPI    string
		Paths      map[string]map[string]struct{ OperationID, Summary string }
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	w.gives(200, &d, "GET /v1/openapi.json", "")
	n := 0
	for _, p := range d.Paths {
		n += len(p)
	}
	if n != len(routes()) || !strings.HasPrefix(d.OpenAPI, "3.") {
		t.Errorf("%d operations, %d routes", n, len(routes()))
	}
	seen := map[string]bool{}
	for _, rt := range routes() {
		op := d.Paths[rt.Path][strings.ToLower(rt.Method)]
		if op.OperationID != rt.Name || !strings.HasSuffix(op.Summary, ".") || seen[rt.Name] {
			t.Errorf("%s %s: %+v", rt.Method, rt.Path, op)
		}
		seen[rt.Name] = true
		for _, m := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(rt.Path, -1) {
			if len(rt.Params) == 0 || rt.Params[0].Name != m[1] || rt.Params[0].In != "path" {
				t.Errorf("%s: {%s} is not described", rt.Path, m[1])
			}
		}
	}
	raw, err := json.Marshal(OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`"#/components/schemas/(\w+)"`).FindAllStringSubmatch(string(raw), -1) {
		if len(d.Components.Schemas[m[1]].Properties) == 0 {
			t.Errorf("%s is referred to and not there", m[1])
		}
	}
}

// What routes answer has the properties that the description says, and no others.
func TestAnswersAreAsDescribed(t *testing.T) {
	w := newWorld(t)
	w.run("INSERT INTO clicks VALUES ('ana', 1); RUN TRIGGER")
	for what, schema := range map[string]string{"GET /v1": "About", "GET /v1/queries": "Queries", "GET /v1/queries/per": "Query",
		"GET /v1/queries/per/progress": "Records", "GET /v1/queries/per/explain": "Plan", "GET /healthz": "Health", "POST /v1/queries/per/trigger": "Done"} {
		var got any
		w.gives(200, &got, what, "")
		conforms(t, what, got, OpenAPI()["components"].(object)["schemas"].(object), object{"$ref": "#/components/schemas/" + schema})
	}
}

func conforms(t *testing.T, at string, got any, schemas, s object) {
	t.Helper()
	if ref, ok := s["$ref"].(string); ok {
		s = schemas[strings.TrimPrefix(ref, "#/components/schemas/")].(object)
	}
	if all, ok := s["allOf"].([]any); ok {
		conforms(t, at, got, schemas, all[0].(object))
		return
	}
	switch got := got.(type) {
	case map[string]any:
		props, ok := s["properties"].(object)
		if !ok {
			return
		}
		for name, v := range got {
			if p, ok := props[name].(object); ok {
				conforms(t, at+"."+name, v, schemas, p)
			} else {
				t.Errorf("%s.%s is not described", at, name)
			}
		}
		required, _ := s["required"].([]string)
		for _, name := range required {
			if _, ok := got[name]; !ok {
				t.Errorf("%s.%s is missing", at, name)
			}
		}
	case []any:
		for _, v := range got {
			conforms(t, at+"[]", v, schemas, s["items"].(object))
		}
	case string:
		is(t, at, s, "string")
	case bool:
		is(t, at, s, "boolean")
	}
}

func is(t *testing.T, at string, s object, want string) {
	t.Helper()
	if k, ok := s["type"]; ok && k != want {
		t.Errorf("%s is a %s, described as %v", at, want, k)
	}
}
