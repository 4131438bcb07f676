package engine

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// kafkaRelation makes a relation of kafka://host:port,…/topic?option=value: of the columns
// of JSON values, or if they are not such, of those that every record has. It is a stream,
// with or without STREAM in front, unless the options say where it ends.
func (e *Engine) kafkaRelation(ctx context.Context, path string) (*catalog.Relation, error) {
	rest, query, _ := strings.Cut(strings.TrimPrefix(path, "kafka://"), "?")
	brokers, topic, _ := strings.Cut(rest, "/")
	params, err := url.ParseQuery(query)
	if err != nil || brokers == "" || topic == "" || strings.Contains(topic, "/") {
		return nil, fmt.Errorf("%q names no topic: it is written kafka://host:port/topic", path)
	}
	r := &catalog.Relation{Name: topic, Streaming: !params.Has("ending_offsets"), Connector: "kafka",
		Common:  catalog.Common{IdleTimeout: 60_000_000},
		Options: []option.Value{{Name: "brokers", Text: brokers}, {Name: "topic", Text: topic}}}
	for name := range params {
		r.Options = append(r.Options, option.Value{Name: name, Text: params.Get(name)})
	}
	r.Format = "json"
	if f, ok := option.Find(r.Options, "format"); ok {
		r.Format = f.Text
	} else {
		r.Options = append(r.Options, option.Value{Name: "format", Text: r.Format})
	}
	cols, err := e.infer(ctx, r)
	if err != nil {
		if params.Has("format") && r.Format != "raw" {
			return nil, err
		}
		c, _ := e.opt.Builtin.Source(r.Connector)
		r.Format, cols = "raw", c.Columns
		r.Options[len(r.Options)-1].Text = r.Format
	}
	for _, c := range cols {
		r.Columns = append(r.Columns, catalog.Column{Column: c})
	}
	return r, nil
}
