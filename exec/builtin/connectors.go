package builtin

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/connect/kafka"
	"github.com/sqlstream/sqlstream/exec/connect/mysql"
	"github.com/sqlstream/sqlstream/exec/connect/postgres"
	"github.com/sqlstream/sqlstream/exec/connect/redis"
	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/console"
	filesink "github.com/sqlstream/sqlstream/exec/sink/file"
	"github.com/sqlstream/sqlstream/exec/sink/foreach"
	memorysink "github.com/sqlstream/sqlstream/exec/sink/memory"
	"github.com/sqlstream/sqlstream/exec/sink/null"
	"github.com/sqlstream/sqlstream/exec/sink/process"
	"github.com/sqlstream/sqlstream/exec/sink/webhook"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/source/datagen"
	filesource "github.com/sqlstream/sqlstream/exec/source/file"
	httpsource "github.com/sqlstream/sqlstream/exec/source/http"
	memorysource "github.com/sqlstream/sqlstream/exec/source/memory"
	"github.com/sqlstream/sqlstream/exec/source/rate"
	"github.com/sqlstream/sqlstream/exec/source/socket"
	"github.com/sqlstream/sqlstream/exec/source/stdin"
)

// Connectors are the sources, sinks and formats of one engine, by name and alias
// without regard to case.
type Connectors struct {
	Stores  *memorysource.Stores // rows of memory sources and tables
	Results *memorysink.Results  // tables of memory sinks
	Writers *foreach.Writers     // Go code of foreach sinks
	Stdin   *stdin.Input         // what source stdin reads

	formats []*format.Format
	sources []*source.Connector
	sinks   []*sink.Connector
}

// NewConnectors returns a fresh list. instance tells runs of the program apart; extra
// formats come from an embedding program.
func NewConnectors(instance string, extra ...*format.Format) (*Connectors, error) {
	c := &Connectors{Stores: memorysource.NewStores(instance), Results: memorysink.NewResults(),
		Writers: foreach.NewWriters(), Stdin: stdin.NewInput(os.Stdin), formats: append(Formats(), extra...)}
	for _, s := range []source.Connector{
		filesource.Connector(c.formats),
		rate.Connector(),
		rate.MicroBatch(),
		datagen.Connector(),
		socket.Connector(c.formats, instance),
		httpsource.Connector(c.formats, instance),
		stdin.Connector(c.formats, c.Stdin, instance),
		memorysource.Connector(c.Stores),
		postgres.Table(),
		kafka.Source(c.formats),
		postgres.Changes(),
	} {
		if err := c.AddSource(s); err != nil {
			return nil, err
		}
	}
	for _, s := range []sink.Connector{
		filesink.Connector(c.formats),
		console.Connector(c.formats),
		memorysink.Connector(c.Results),
		null.Connector(),
		postgres.Sink(),
		foreach.Connector(c.Writers),
		process.Connector(),
		webhook.Connector(),
		mysql.Sink(),
		redis.Sink(),
		kafka.Sink(c.formats),
	} {
		if err := c.AddSink(s); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// AddSource adds a kind of source; a name that is taken is an error.
func (c *Connectors) AddSource(s source.Connector) error {
	for _, n := range append([]string{s.Name}, s.Aliases...) {
		if _, ok := c.Source(n); ok {
			return fmt.Errorf("there is a source connector %q already", n)
		}
	}
	c.sources = append(c.sources, &s)
	return nil
}

// AddSink adds a kind of sink; a name that is taken is an error.
func (c *Connectors) AddSink(s sink.Connector) error {
	for _, n := range append([]string{s.Name}, s.Aliases...) {
		if _, ok := c.Sink(n); ok {
			return fmt.Errorf("there is a sink connector %q already", n)
		}
	}
	c.sinks = append(c.sinks, &s)
	return nil
}

// Source finds a kind of source.
func (c *Connectors) Source(name string) (*source.Connector, bool) {
	return find(c.sources, name, func(s *source.Connector) (string, []string) { return s.Name, s.Aliases })
}

// Sink finds a kind of sink.
func (c *Connectors) Sink(name string) (*sink.Connector, bool) {
	return find(c.sinks, name, func(s *sink.Connector) (string, []string) { return s.Name, s.Aliases })
}

// Format finds a file format.
func (c *Connectors) Format(name string) (*format.Format, bool) {
	return find(c.formats, name, func(f *format.Format) (string, []string) { return f.Name, f.Aliases })
}

// SourceNames lists the kinds of sources.
func (c *Connectors) SourceNames() []string {
	return names(c.sources, func(s *source.Connector) string { return s.Name })
}

// SinkNames lists the kinds of sinks.
func (c *Connectors) SinkNames() []string {
	return names(c.sinks, func(s *sink.Connector) string { return s.Name })
}

// FormatNames lists the file formats.
func (c *Connectors) FormatNames() []string {
	return names(c.formats, func(f *format.Format) string { return f.Name })
}

func find[T any](list []*T, name string, called func(*T) (string, []string)) (*T, bool) {
	for _, x := range list {
		n, aliases := called(x)
		if strings.EqualFold(n, name) || slices.ContainsFunc(aliases, func(a string) bool { return strings.EqualFold(a, name) }) {
			return x, true
		}
	}
	return nil, false
}

func names[T any](list []*T, name func(*T) string) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = name(x)
	}
	return out
}
