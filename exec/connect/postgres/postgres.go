// Package postgres connects to PostgreSQL, in both directions: a sink that writes each
// batch in one transaction together with its number, tables as finite sources, and
// changes of tables by logical replication. It owns what values look like in
// PostgreSQL's binary protocol, and knows neither plans nor checkpoints.
//
// Open this file first. connect.go reaches a server and says what went wrong; catalog.go
// describes tables; wire.go and encode.go turn columns into PostgreSQL's bytes; sink.go,
// publish.go and marker.go are the sink; decode.go and table.go read tables.
package postgres

import (
	"context"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/source"
)

// Sink describes the PostgreSQL sink.
func Sink() sink.Connector {
	return sink.Connector{
		Name: "postgres", Aliases: []string{"postgresql"},
		Doc: "Writes into a table of PostgreSQL (12 or newer): each batch in one transaction, together with its number in a table of commits, so that it is there once.",
		Modes: map[sink.Mode]string{
			sink.Append:    "Each row is inserted once, by COPY.",
			sink.Update:    "Deletes the rows of keys that are gone, then inserts or updates those of changed keys; the table needs a unique constraint on exactly the key. Without a known key the rows are inserted.",
			sink.Complete:  "Replaces all rows of the table, by DELETE and COPY in one transaction: TRUNCATE would show other sessions an empty table.",
			sink.Changelog: "Removes old rows and inserts new ones: the table is the result as it stands. A row is found by all its columns, so the table needs no key; an index makes it fast.",
		},
		Options:    option.Join(sinkSpecs(), serverSpecs()),
		Deletes:    true,
		Guarantee:  sink.ExactlyOnce,
		Recovery:   "Rows and the record of the batch are in one transaction, which locks the record first.",
		Concurrent: true,
		Open: func(ctx context.Context, c sink.Config) (sink.Sink, error) {
			return openSink(ctx, c)
		},
	}
}

// Table describes tables of PostgreSQL as finite sources.
func Table() source.Connector {
	return source.Connector{
		Name: "postgres", Aliases: []string{"postgresql"},
		Doc: "Reads a table, a view or the result of a query of PostgreSQL (12 or newer), once, as of one moment; with refresh = '1 minute' again and again. " +
			"For the changes of a table there is postgres-cdc. A query that has to be computed again after a crash reads what is there then.",
		Options:    option.Join(tableSpecs(), serverSpecs()),
		Replayable: true,
		Refresh:    true,
		Lookup:     true,
		Infer:      inferTable,
		Open: func(ctx context.Context, c source.Config) (source.Source, error) {
			return openTable(ctx, c)
		},
	}
}

func tableSpecs() []option.Spec {
	return []option.Spec{
		{Name: "table", Aliases: []string{"table_name"}, Type: option.Text,
			Doc: "The table or view, as schema.table; without a schema the first of the search_path that has it. Names that are not lower case are written in double quotes."},
		{Name: "query", Type: option.Text, Doc: "A query in the SQL of PostgreSQL, instead of a table."},
		{Name: "max_connections", Type: option.Int, Min: 1, Max: 64, Default: "4",
			Doc: "A large table is read in parts, over so many connections that see the same moment (PostgreSQL 14 or newer)."},
	}
}

func sinkSpecs() []option.Spec {
	return []option.Spec{
		{Name: "table", Aliases: []string{"table_name"}, Type: option.Text, Required: true,
			Doc: "The table, as schema.table; without a schema the first of the search_path that has it. Names that are not lower case are written in double quotes."},
		{Name: "create_table", Type: option.Bool, Default: "false",
			Doc: "Creates the table if it is missing, with the types of the query and, in update mode, the key as PRIMARY KEY."},
		{Name: "commit_table", Type: option.Text, Default: "sqlstream_commits",
			Doc: "The table that remembers the last batch of each sink, as schema.table; by default in the schema of the table. It is created if it is missing."},
		{Name: "sink_id", Type: option.Text,
			Doc: "The name under which commit_table remembers the sink; by default that of the table, so that a second query is refused. Give queries that write into one table a name each."},
		{Name: "lock_timeout", Type: option.Duration, Default: "30 seconds", Min: 1000,
			Doc: "How long to wait for a lock of another session before the batch is tried again."},
	}
}
