// Package catalog owns what SQL names refer to: sources, tables, views,
// materialised views, sinks and functions written in SQL, and how names match. It knows functions and
// connectors through their contracts only, and nothing of plans or running
// queries; the engine fills it and keeps it. Open this file first, then
// relation.go.
package catalog

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/parser/ast"
)

// Object is a named thing: *Relation, *View, *MaterializedView or *Sink.
type Object interface {
	ObjectName() string
	ObjectKind() ast.Object
}

// Connectors finds what exec/builtin lists, by name or alias without regard to case.
type Connectors interface {
	Source(name string) (*source.Connector, bool)
	Sink(name string) (*sink.Connector, bool)
	Format(name string) (*format.Format, bool)
	SourceNames() []string
	SinkNames() []string
	FormatNames() []string
}

// Catalog holds the objects of one engine. It may be read while the engine, which
// serialises statements, changes it. Planned queries keep the objects they saw.
type Catalog struct {
	Functions  *fn.Registry
	Connectors Connectors
	mu         sync.RWMutex
	objects    map[string]Object    // by exact name
	folded     map[string][]string  // the exact names that differ only in case, by folded name
	macros     map[string]*Function // by name in lower case
}

// New returns an empty catalog.
func New(functions *fn.Registry, connectors Connectors) *Catalog {
	return &Catalog{Functions: functions, Connectors: connectors, objects: map[string]Object{}, folded: map[string][]string{}, macros: map[string]*Function{}}
}

// AmbiguousError says that a name matches several objects that differ only in case.
type AmbiguousError struct {
	Name  string
	Names []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("name %q is ambiguous: it matches %s", e.Name, quoteAll(e.Names))
}

// Find returns the object of a name: the exact spelling, else the only one that
// differs in case; nil if there is none.
func (c *Catalog) Find(name string) (Object, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if o, ok := c.objects[name]; ok {
		return o, nil
	}
	switch names := c.folded[fold(name)]; len(names) {
	case 0:
		return nil, nil
	case 1:
		return c.objects[names[0]], nil
	default:
		return nil, &AmbiguousError{Name: name, Names: slices.Sorted(slices.Values(names))}
	}
}

// fold is the same for the names that strings.EqualFold finds equal, and only for them.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, name)
}

// Put adds an object, or replaces the one of exactly this name.
func (c *Catalog) Put(o Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(o.ObjectName(), o)
}

func (c *Catalog) put(name string, o Object) {
	if _, known := c.objects[name]; !known {
		key := fold(name)
		c.folded[key] = append(c.folded[key], name)
	}
	c.objects[name] = o
}

// Drop removes the object of exactly this name.
func (c *Catalog) Drop(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.objects[name]; !known {
		return
	}
	delete(c.objects, name)
	key := fold(name)
	if c.folded[key] = slices.DeleteFunc(c.folded[key], func(n string) bool { return n == name }); len(c.folded[key]) == 0 {
		delete(c.folded, key)
	}
}

// Objects lists the objects by name.
func (c *Catalog) Objects() []Object {
	c.mu.RLock()
	defer c.mu.RUnlock()
	out := make([]Object, 0, len(c.objects))
	for _, o := range c.objects {
		out = append(out, o)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ObjectName() < out[j].ObjectName() })
	return out
}

// Names lists the names of all objects, sorted: for suggestions.
func (c *Catalog) Names() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	out := make([]string, 0, len(c.objects))
	for n := range c.objects {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// Clone returns a catalog with the same objects: what a statement adds to it is
// not seen by others (`sqlstream check`).
func (c *Catalog) Clone() *Catalog {
	c.mu.RLock()
	defer c.mu.RUnlock()
	out := New(c.Functions, c.Connectors)
	for n, o := range c.objects {
		out.put(n, o)
	}
	for n, f := range c.macros {
		out.macros[n] = f
	}
	return out
}

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = `"` + n + `"`
	}
	return strings.Join(quoted, ", ")
}
