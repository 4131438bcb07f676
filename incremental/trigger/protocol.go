package trigger

// Point is a place between two steps of the protocol that journal.go states.
type Point string

// The points, in the order of a batch.
const (
	Opened    Point = "opened"    // logs are read, nothing is repaired yet
	Recovered Point = "recovered" // the last batch is published again, what nobody needs is gone
	Planned   Point = "planned"   // the range is chosen, nothing is written
	Begun     Point = "begun"     // offsets/N is on its way to the disk
	Computed  Point = "computed"  // the result is staged, and known to nobody
	Prepared  Point = "prepared"  // the result and its offsets are durable
	Published Point = "published" // the sinks have it
	Committed Point = "committed" // commits/N is on its way to the disk
)

// Points lists them in order.
func Points() []Point {
	return []Point{Opened, Recovered, Planned, Begun, Computed, Prepared, Published, Committed}
}

// at is called when a batch has reached a point.
func (q *Query) at(p Point, batch int64) error {
	crashAt(p, batch)
	if q.At == nil {
		return nil
	}
	return q.At(p, batch, q.Journal)
}
