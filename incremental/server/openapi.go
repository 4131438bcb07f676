package server

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// object is a JSON object of the OpenAPI description.
type object = map[string]any

// OpenAPI is the description of the API, made of the table of routes.
func OpenAPI() object {
	d := &describer{schemas: object{}}
	paths := object{}
	for _, rt := range routes() {
		p, ok := paths[rt.Path].(object)
		if !ok {
			p = object{}
			paths[rt.Path] = p
		}
		p[strings.ToLower(rt.Method)] = d.operation(rt)
	}
	return object{
		"openapi": "3.0.3",
		"info": object{"title": "sqlstream", "version": "1",
			"description": "Queries that run, their progress, and SQL. Errors are objects with code, message, hint and position."},
		"paths": paths,
		"components": object{"schemas": d.schemas,
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}}},
		"security": []any{object{"token": []any{}}, object{}},
	}
}

// describer collects the schemas of named types.
type describer struct{ schemas object }

func (d *describer) operation(rt route) object {
	op := object{"operationId": rt.Name, "summary": rt.Doc, "responses": d.responses(rt)}
	if rt.Role == Owner {
		op["description"] = "Needs the token of an owner; one that only reads is answered with 403."
	}
	var params []any
	for _, p := range rt.Params {
		schema := object{"type": p.Type}
		if p.Values != nil {
			schema["enum"] = p.Values
		}
		params = append(params, object{"name": p.Name, "in": p.In, "description": p.Doc, "required": p.In == "path", "schema": schema})
	}
	if params != nil {
		op["parameters"] = params
	}
	if rt.Body != nil {
		op["requestBody"] = object{"required": true, "content": d.content(*rt.Body)}
	}
	return op
}

func (d *describer) responses(rt route) object {
	out := object{"200": object{"description": "Done.", "content": d.content(rt.Reply)}}
	codes := append([]int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusServiceUnavailable}, rt.Errors...)
	for _, code := range codes {
		out[strconv.Itoa(code)] = object{"description": http.StatusText(code) + ".",
			"content": object{"application/json": object{"schema": d.schema(reflect.TypeOf(Failure{}))}}}
	}
	return out
}

// Failure is the answer of a request that failed.
type Failure struct {
	Error Error `json:"error"`
}

func (d *describer) content(c content) object {
	if c.Only != "" {
		return object{c.Only: object{"schema": object{"type": "string"}}}
	}
	out := object{"application/json": object{"schema": d.schema(reflect.TypeOf(c.Shape))}}
	for kind, doc := range c.Also {
		out[kind] = object{"schema": object{"type": "string", "description": doc}}
	}
	return out
}

// schema describes a Go type as it is written in JSON.
func (d *describer) schema(t reflect.Type) object {
	switch t {
	case reflect.TypeOf(time.Time{}):
		return object{"type": "string", "format": "date-time"}
	case reflect.TypeOf(json.RawMessage{}):
		return object{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.schema(t.Elem())
	case reflect.Struct:
		return d.structure(t)
	case reflect.Slice:
		return object{"type": "array", "items": d.schema(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": d.schema(t.Elem())}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Interface:
		return object{}
	}
	return object{"type": "integer", "format": "int64"}
}

// structure puts a struct among the schemas, and refers to it.
func (d *describer) structure(t reflect.Type) object {
	ref := object{"$ref": "#/components/schemas/" + t.Name()}
	if _, ok := d.schemas[t.Name()]; ok {
		return ref
	}
	s := object{"type": "object"}
	d.schemas[t.Name()] = s
	props, required := object{}, []string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		p := d.schema(f.Type)
		if doc := f.Tag.Get("doc"); doc != "" {
			if _, isRef := p["$ref"]; isRef {
				p = object{"allOf": []any{p}}
			}
			p["description"] = doc
		}
		if f.Type.Kind() == reflect.Pointer && opts == "" {
			p["nullable"] = true
		}
		props[name] = p
		if opts != "omitempty" {
			required = append(required, name)
		}
	}
	s["properties"] = props
	if len(required) > 0 {
		s["required"] = required
	}
	return ref
}

func (s *Server) openapi(c *call) error {
	writeJSON(c.w, http.StatusOK, OpenAPI())
	return nil
}
