package differential

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
)

// sameDocument: documents that have the same members, whatever the order of keys and the
// texts of numbers and times.
func sameDocument(d *Difference) bool {
	x, ok := d.first().(string)
	var ours any
	if !ok || json.Unmarshal([]byte(x), &ours) != nil {
		return false
	}
	theirs := d.theirFirst()
	if y, isText := theirs.(string); isText {
		if json.Unmarshal([]byte(y), &theirs) != nil {
			return false
		}
		return reflect.DeepEqual(plainDocument(ours), plainDocument(theirs))
	}
	return reflect.DeepEqual(leaves(ours), leaves(theirs))
}

var isoTime = regexp.MustCompile(`^(\d+-\d+-\d+)T([0-9:.]+)Z?$`)

// plainDocument writes times as the engines do.
func plainDocument(v any) any {
	switch v := v.(type) {
	case string:
		return strings.TrimSuffix(isoTime.ReplaceAllString(v, "$1 $2"), "+00")
	case []any:
		for i := range v {
			v[i] = plainDocument(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plainDocument(v[k])
		}
	}
	return v
}

// leaves makes text of the values of a document, as a recorded answer has it.
func leaves(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = leaves(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		if entries, ok := pairs(v); ok && v[""] != nil {
			for _, e := range entries {
				out[e[0].(string)] = leaves(e[1])
			}
			return out
		}
		for k := range v {
			out[k] = leaves(v[k])
		}
		return out
	case string:
		return plainNumber(v)
	case nil:
		return nil
	}
	text, _ := json.Marshal(v)
	return plainNumber(string(text))
}

var memberKey = regexp.MustCompile(`"([^"]*)":`)

// repeatedKey: their object has a key twice.
func repeatedKey(d *Difference) bool {
	y, _ := d.theirFirst().(string)
	seen := map[string]bool{}
	for _, m := range memberKey.FindAllStringSubmatch(y, -1) {
		if seen[m[1]] {
			return true
		}
		seen[m[1]] = true
	}
	return false
}
