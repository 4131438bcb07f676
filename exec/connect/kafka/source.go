package kafka

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Source describes topics as a source, over the given formats.
func Source(formats []*format.Format) source.Connector {
	hubs := newHubs()
	var metadata []types.Column
	for _, m := range metadataColumns() {
		metadata = append(metadata, m.Column)
	}
	return source.Connector{
		Name: "kafka", Aliases: []string{"upsert-kafka"},
		Doc: "Reads the records of topics, each partition in the order of its offsets. The checkpoint knows how far each partition has been read; " +
			"the consumer groups of the brokers have no say in it. Each partition has a watermark of its own. With a PRIMARY KEY a record takes the place of the one with its key, " +
			"and one without a value deletes it, if the key is in the key of the record (key_format). Brokers from Kafka 0.11 on will do; from 2.8 on a topic that was deleted and created again is always noticed.",
		Options:    sourceOptions(),
		Replayable: true,
		Tombstones: true,
		Metadata:   metadata,
		Columns:    recordColumns(),
		Infer: func(ctx context.Context, c source.Config) ([]types.Column, error) {
			return infer(ctx, hubs, formats, c)
		},
		Open: func(ctx context.Context, c source.Config) (source.Source, error) {
			return open(ctx, hubs, formats, c)
		},
	}
}

// Reader is an open source. See source.Source for who may call it.
type Reader struct {
	cfg    source.Config
	opt    options
	hub    *hub
	layout *layout

	parts     []place         // that are read, in order
	at        map[place]int64 // the next offset of each; nil = the query has not begun
	ids       map[string]topicID
	away      map[string]bool // topics that were deleted, and are read from their beginning when they are there again
	lookAgain time.Time       // when partitions are discovered next
	logged    bool            // a range has been planned or restored
	waiting   time.Time       // since when records wait for others; zero = none do
	backlog   int64           // what the last range has left
	turn      int             // which partition comes first where a limit does not reach all
	done      bool            // finite: everything was planned
	left      map[place]bool  // partitions of which the last range left something
	publishAt time.Time       // when offsets are published next

	mu        sync.Mutex // for what splits and Keep use beside the rest
	committed map[place]int64
	losses    []source.Loss
}

var _ source.Partitioned = (*Reader)(nil)

func open(ctx context.Context, hs *hubs, formats []*format.Format, c source.Config) (*Reader, error) {
	s, err := newReader(ctx, hs, formats, c)
	if err != nil {
		return nil, err
	}
	if s.layout, err = newLayout(c, s.opt); err == nil {
		err = s.discover(ctx, true)
	}
	if err != nil {
		return nil, errors.Join(s.wrap(err), s.Close())
	}
	return s, nil
}

// newReader is a source that knows its options and its brokers.
func newReader(ctx context.Context, hs *hubs, formats []*format.Format, c source.Config) (*Reader, error) {
	at := surroundings{name: fmt.Sprintf("source %q", c.Name), dir: c.Dir, fs: c.FS, clock: c.Clock}
	s := &Reader{cfg: c, ids: map[string]topicID{}, away: map[string]bool{}, committed: map[place]int64{}}
	var err error
	if s.opt, err = decodeOptions(formats, c, at); err != nil {
		return nil, err
	}
	if s.hub, err = hs.acquire(ctx, s.opt.set, at); err != nil {
		return nil, s.wrap(err)
	}
	return s, nil
}

// wrap names the source; complaints about the SQL text have a place instead.
func (s *Reader) wrap(err error) error {
	var sql *diag.Error
	if err == nil || errors.As(err, &sql) {
		return err
	}
	return source.Named(s.cfg.Name, err)
}

// offsets is what a range has in offsets/N: the next offset of each partition, as Spark
// writes it: {"orders":{"0":23}}.
type offsets map[string]map[int32]int64

// entry is a line of the source log: offsets From … To−1 of a partition, and which topic
// it was that had the name.
type entry struct {
	Topic     string  `json:"topic"`
	Partition int32   `json:"partition"`
	From      int64   `json:"from"`
	To        int64   `json:"to"`
	ID        topicID `json:"id,omitzero"`
}

func (e entry) place() place { return place{e.Topic, e.Partition} }

// MarshalText implements encoding.TextMarshaler.
func (id topicID) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%x", id[:]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (id *topicID) UnmarshalText(text []byte) error {
	b := []byte{}
	if n, err := fmt.Sscanf(string(text), "%x", &b); n != 1 || err != nil || len(b) != len(id) {
		return fmt.Errorf("%q is no topic id", text)
	}
	copy(id[:], b)
	return nil
}

func decodeOffsets(r source.Range) (offsets, error) {
	var o offsets
	if err := json.Unmarshal(r.Offset, &o); err != nil || o == nil {
		return nil, fmt.Errorf("offset %s is not that of a kafka source", r.Offset)
	}
	return o, nil
}

func decodeEntries(r source.Range) ([]entry, error) {
	out := make([]entry, len(r.Entries))
	for i, line := range r.Entries {
		if err := json.Unmarshal(line, &out[i]); err != nil || out[i].To < out[i].From {
			return nil, fmt.Errorf("source log entry %s is not that of a kafka source", line)
		}
	}
	return out, nil
}

// Restore implements source.Source.
func (s *Reader) Restore(r source.Range) error {
	entries, err := decodeEntries(r)
	if err != nil {
		return s.wrap(err)
	}
	for _, e := range entries {
		s.ids[e.Topic] = e.ID
	}
	if len(r.Offset) == 0 {
		return nil
	}
	o, err := decodeOffsets(r)
	if err != nil {
		return s.wrap(err)
	}
	s.at, s.parts, s.logged, s.lookAgain = map[place]int64{}, nil, true, time.Time{}
	for t, ps := range o {
		for p, next := range ps {
			s.at[place{t, p}] = next
		}
	}
	return nil
}

// Partitions implements source.Partitioned. What the last range that was planned has left of
// a partition counts as activity.
func (s *Reader) Partitions(r source.Range) ([]source.Partition, error) {
	o, err := decodeOffsets(r)
	if err != nil {
		return nil, s.wrap(err)
	}
	entries, err := decodeEntries(r)
	if err != nil {
		return nil, s.wrap(err)
	}
	active := map[place]bool{}
	for _, e := range entries {
		active[e.place()] = true
	}
	var out []source.Partition
	for t, ps := range o {
		for n := range ps {
			p := place{t, n}
			out = append(out, source.Partition{Name: p.name(), Active: active[p] || s.left[p]})
		}
	}
	slices.SortFunc(out, func(a, b source.Partition) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func sortPlaces(all []place) {
	slices.SortFunc(all, func(a, b place) int {
		if c := strings.Compare(a.topic, b.topic); c != 0 {
			return c
		}
		return int(a.partition) - int(b.partition)
	})
}

// Keep implements source.Keeper: the last entry of each partition says which topic it is,
// and what may have to be read again.
func (s *Reader) Keep(line json.RawMessage) bool {
	var e entry
	if err := json.Unmarshal(line, &e); err != nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return e.To >= s.committed[e.place()]
}

// Committed implements source.Source.
func (s *Reader) Committed(ctx context.Context, r source.Range) error {
	entries, err := decodeEntries(r)
	if err != nil {
		return s.wrap(err)
	}
	s.mu.Lock()
	for _, e := range entries {
		s.committed[e.place()] = e.To
	}
	s.mu.Unlock()
	return s.wrap(s.publish(ctx, r))
}

// mostLosses is how many are kept, the last ones.
const mostLosses = 100

// lost notes records that are gone, where the query goes on without them.
func (s *Reader) lost(l source.Loss) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.losses = append(s.losses, l)
	if n := len(s.losses); n > mostLosses {
		s.losses = slices.Delete(s.losses, 0, n-mostLosses)
	}
}

// Losses implements source.Lossy: the last ones.
func (s *Reader) Losses() []source.Loss {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.losses)
}

// Finished implements source.Source.
func (s *Reader) Finished() bool { return s.cfg.Finite && s.done }

// Description implements source.Source.
func (s *Reader) Description() string {
	what := strings.Join(s.opt.topics, ",")
	if s.opt.pattern != nil {
		what = s.opt.pattern.String()
		what = what[len("^(?:") : len(what)-len(")$")]
	}
	return "KafkaSource[" + what + "]"
}

// Close implements source.Source.
func (s *Reader) Close() error {
	if s.hub != nil {
		s.hub.release()
		s.hub = nil
	}
	return nil
}
