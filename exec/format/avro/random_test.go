package avro

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
)

// generator makes random schemas, as the values of encoding/json, and newer versions of them.
type generator struct {
	r *rand.Rand
	n int // names so far
}

type object = map[string]any

func (g *generator) name(prefix string) string {
	g.n++
	return fmt.Sprint(prefix, g.n)
}

func (g *generator) record(depth int) object {
	var fields []any
	for range 1 + g.r.IntN(5) {
		fields = append(fields, object{"name": g.name("f"), "type": g.typ(depth)})
	}
	return object{"type": "record", "name": g.name("R"), "namespace": "a.b", "fields": fields}
}

func (g *generator) typ(depth int) any {
	simple := []any{"boolean", "int", "long", "float", "double", "string", "bytes", "int", "string",
		object{"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": 3}, object{"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2},
		object{"type": "int", "logicalType": "date"}, object{"type": "long", "logicalType": "timestamp-millis"}, object{"type": "long", "logicalType": "timestamp-micros"},
		object{"type": "long", "logicalType": "local-timestamp-micros"}, object{"type": "int", "logicalType": "time-millis"}, "enum", "fixed", "decimal"}
	n := len(simple)
	if depth > 0 {
		n += 9
	}
	switch i := g.r.IntN(n); {
	case i >= len(simple)+7:
		return object{"type": "map", "values": g.typ(depth - 1)}
	case i >= len(simple)+5:
		return object{"type": "array", "items": g.typ(depth - 1)}
	case i >= len(simple)+3:
		return g.record(depth - 1)
	case i >= len(simple):
		return g.nullable(g.typ(0))
	case simple[i] == "enum":
		return object{"type": "enum", "name": g.name("E"), "symbols": []any{"A", "B", "C"}, "default": "A"}
	case simple[i] == "fixed":
		return object{"type": "fixed", "name": g.name("F"), "size": 1 + g.r.IntN(5)}
	case simple[i] == "decimal":
		return object{"type": "fixed", "name": g.name("F"), "size": 9, "logicalType": "decimal", "precision": 18, "scale": 4}
	default:
		return simple[i]
	}
}

func (g *generator) nullable(t any) any {
	if g.r.IntN(3) == 0 {
		return []any{t, "null"}
	}
	return []any{"null", t}
}

// evolve makes a schema that reads what was written with t.
func (g *generator) evolve(t any) any {
	switch t := t.(type) {
	case string:
		if to := map[string][]string{"int": {"long", "float", "double"}, "long": {"float", "double"}, "float": {"double"}, "string": {"bytes"}, "bytes": {"string"}}[t]; to != nil && t != "bytes" && g.r.IntN(3) == 0 {
			return to[g.r.IntN(len(to))]
		}
		if g.r.IntN(5) == 0 {
			return g.nullable(t)
		}
	case []any:
		out := slices.Clone(t)
		g.r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		return out
	case object:
		return g.evolveObject(t)
	}
	return t
}

func (g *generator) evolveObject(t object) any {
	out := object{}
	for k, v := range t {
		out[k] = v
	}
	switch t["type"] {
	case "array":
		out["items"] = g.evolve(t["items"])
	case "map":
		out["values"] = g.evolve(t["values"])
	case "enum":
		if g.r.IntN(2) == 0 {
			out["symbols"] = []any{"C", "A", "D"}
		}
	case "record":
		g.evolveRecord(t, out)
	}
	return out
}

func (g *generator) evolveRecord(t, out object) {
	var fields []any
	for _, f := range t["fields"].([]any) {
		old := f.(object)
		if g.r.IntN(6) == 0 {
			continue
		}
		f := object{"name": old["name"], "type": g.evolve(old["type"])}
		if g.r.IntN(6) == 0 {
			f["name"], f["aliases"] = g.name("renamed"), []any{g.name("nothing"), old["name"]}
		}
		fields = append(fields, f)
	}
	for range g.r.IntN(3) {
		added := []object{{"type": "string", "default": "héllo"}, {"type": []any{"null", "int"}, "default": nil}, {"type": "long", "default": -7},
			{"type": object{"type": "array", "items": "string"}, "default": []any{"x", "y"}}, {"type": object{"type": "int", "logicalType": "date"}, "default": 12},
			{"type": []any{"double", "null"}, "default": 1.5}, {"type": "bytes", "default": "\u00ff"}, {"type": object{"type": "map", "values": "int"}, "default": object{"k": 1}}}[g.r.IntN(8)]
		added["name"] = g.name("added")
		fields = append(fields, added)
	}
	if len(fields) == 0 {
		fields = append(fields, object{"name": g.name("added"), "type": "int", "default": 3})
	}
	g.r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	out["fields"] = fields
}

func text(t any) string {
	b, err := json.Marshal(t)
	if err != nil {
		panic(err)
	}
	return string(b)
}
