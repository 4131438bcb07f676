// Package socket is the source that reads lines from a TCP server. It connects again
// when the connection breaks, and stops reading while too much waits for the next
// trigger. What it has read cannot be read again: with a checkpoint the rows of a range
// go into its log entries, so that from there on each counts exactly once; what was
// under way is lost with the program, and progress says so. Open this file first, then
// dial.go; exec/source/inbox holds the rows.
package socket

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/source/inbox"
)

// Connector describes the socket source. instance tells runs of the program apart.
func Connector(formats []*format.Format, instance string) source.Connector {
	opened := new(atomic.Int64)
	return source.Connector{
		Name: "socket",
		Doc: "Reads lines from a TCP server, for trials: what was sent while nobody listened, or was under way when the program died, is lost. " +
			"Rows of a micro-batch are in its log and count exactly once.",
		Options:    options(),
		Replayable: true,
		Metadata:   inbox.Metadata(),
		Open: func(ctx context.Context, c source.Config) (source.Source, error) {
			return open(ctx, formats, fmt.Sprintf("%s/%d", instance, opened.Add(1)), c)
		},
	}
}

func options() []option.Spec {
	return []option.Spec{
		{Name: "host", Type: option.Text, Default: "localhost", Doc: "The server."},
		{Name: "port", Type: option.Int, Min: 1, Max: 65535, Required: true, Doc: "Its port."},
		inbox.FormatSpec("text"),
		inbox.LineSpec(),
		inbox.BufferSpec("nothing more is read from the socket, so that the sender waits"),
		{Name: "connect_timeout", Type: option.Duration, Min: 1, Default: "10 seconds", Doc: "How long one attempt to connect may take."},
		{Name: "retries", Type: option.Int, Default: "10", Doc: "How often to try again, in a row, when the connection breaks or cannot be made, before the query fails. At the start there is one attempt."},
		{Name: "retry_delay", Type: option.Duration, Min: 1000, Default: "500 ms", Doc: "How long to wait before the first new attempt; each further one waits twice as long, up to 30 seconds."},
		{Name: "end", Type: option.Enum, Values: []string{"reconnect", "stop"}, Default: "reconnect",
			Doc: "What it means that the server closes the connection: connect again, or that the input has ended. A table ends."},
		{Name: "log_rows", Type: option.Bool, Default: "true",
			Doc: "Write the rows of a micro-batch into the checkpoint. With false nothing is written twice, but a micro-batch that was under way when the program died is lost; progress says so (losses)."},
	}
}

// settings are the decoded options.
type settings struct {
	address string
	timeout time.Duration
	retries int64
	delay   time.Duration
	stop    bool // the end of the connection is the end of the input
}

func open(ctx context.Context, formats []*format.Format, instance string, c source.Config) (source.Source, error) {
	f, d, err := inbox.Decode(formats, options(), "text", c)
	if err != nil {
		return nil, err
	}
	if err := inbox.ByLine(f, d); err != nil {
		return nil, err
	}
	set := settings{address: net.JoinHostPort(d.Text("host"), strconv.FormatInt(d.Int("port"), 10)),
		timeout: micros(d.Micros("connect_timeout")), retries: d.Int("retries"), delay: micros(d.Micros("retry_delay")),
		stop: c.Finite || d.Enum("end") == "stop"}
	box := inbox.NewBox(d.Size("buffer_bytes"), 0)
	r := newReader(set, box, c.Clock, &inbox.Lines{From: set.address, Longest: int(d.Size("max_line_bytes")), Header: inbox.HasHeader(f, d),
		Now: func() int64 { return c.Clock.Now().UnixMicro() }, Put: box.Put})
	s, err := inbox.New(c, box, inbox.Settings{Description: "SocketSource[" + set.address + "]", Instance: instance, Format: f, Decoded: d,
		Unlogged: !d.Bool("log_rows"), Loses: true, Close: r.close})
	if err != nil {
		return nil, err
	}
	return s, r.start(ctx)
}

func micros(us int64) time.Duration { return time.Duration(us) * time.Microsecond }
