package fn

// FrameUnit says what the offsets of a frame count.
type FrameUnit uint8

// The units.
const (
	FrameRows    FrameUnit = iota // rows
	FrameRange                    // the difference of the order key
	FrameGroups                   // groups of peers
	FrameSession                  // rows that follow each other by less than a gap
)

func (u FrameUnit) String() string { return [...]string{"ROWS", "RANGE", "GROUPS", "SESSION"}[u] }

// Exclusion is what a frame leaves out.
type Exclusion uint8

// The exclusions.
const (
	ExcludeNothing Exclusion = iota
	ExcludeCurrentRow
	ExcludeGroup // the current row and its peers
	ExcludeTies  // its peers
)

func (x Exclusion) String() string {
	return [...]string{"", "EXCLUDE CURRENT ROW", "EXCLUDE GROUP", "EXCLUDE TIES"}[x]
}

// BoundKind is where a frame starts or ends.
type BoundKind uint8

// The bounds, in order.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)
