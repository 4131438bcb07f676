package build

import (
	"math"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/incremental/stateful"
)

// Partition is a part of a scan's source in which time goes on by itself.
type Partition struct {
	Name      string
	Watermark int64 // as Scan.Watermark, of the rows of this partition
	Arrived   int64 // µs: when it last delivered, or was found
	Idle      bool
	Found     bool // it has had rows since the start
}

// Partition finds a partition of the scan, which is made if there is none.
func (s *Scan) Partition(name string) *Partition {
	i, ok := slices.BinarySearchFunc(s.Partitions, name, func(p *Partition, name string) int { return strings.Compare(p.Name, name) })
	if !ok {
		s.Partitions = slices.Insert(s.Partitions, i, &Partition{Name: name, Watermark: stateful.NoFrontier})
	}
	return s.Partitions[i]
}

// follow moves the watermark of a scan with partitions to the least one of those that hold
// it back. It never retreats, and stands where all are idle.
func (s *Scan) follow() {
	least, awake := int64(math.MaxInt64), false
	for _, p := range s.Partitions {
		if !p.Idle {
			least, awake = min(least, p.Watermark), true
		}
	}
	if awake {
		s.Watermark = max(s.Watermark, least)
	}
}

// moved takes in the watermarks that the rows of a reader have reached.
func (s *Scan) moved(p *reader) {
	for name, w := range p.watermarks {
		if name == "" {
			s.Watermark = max(s.Watermark, w)
			continue
		}
		part := s.Partition(name)
		part.Watermark = max(part.Watermark, w)
	}
}

// partition names the partition of a split, "" where the scan has one watermark.
func (s *Scan) partition(split source.Split) string {
	if p, ok := split.(source.PartitionSplit); ok && len(s.Partitions) > 0 {
		return p.Partition()
	}
	return ""
}
