package state

// Batch is what Append makes durable for one batch number.
type Batch struct {
	ID       int64
	Meta     []byte    // watermarks, ledger, digest: the caller's
	Payload  []byte    // what the sink is about to publish
	Sections []Section // at most one for each operator
}

// Section holds the changes of one operator, as a SectionWriter made them.
type Section struct {
	Op      string
	Changes []byte
}

// Prepared is a logged batch, read back.
type Prepared struct {
	ID      int64
	Epoch   uint64
	Meta    []byte
	Payload []byte
}

// maxOpName bounds the name of an operator, which is also a directory's.
const maxOpName = 128

// validOp reports whether a name is safe as a directory on every system.
func validOp(op string) bool {
	if op == "" || len(op) > maxOpName || op[0] == '.' {
		return false
	}
	for _, c := range []byte(op) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}
