package rows

// Edits remembers what unescaping has overwritten in the block since the row began: a
// row that turns out bad later is reported as it stands in the file.
type Edits struct {
	log   []edit
	saved []byte
}

type edit struct{ at, from, n int }

// Remember keeps buf[p:q], which is about to be overwritten.
func (e *Edits) Remember(buf []byte, p, q int) {
	e.log = append(e.log, edit{p, len(e.saved), q - p})
	e.saved = append(e.saved, buf[p:q]...)
}

// Restore undoes the changes.
func (e *Edits) Restore(buf []byte) {
	if len(e.log) == 0 {
		return
	}
	e.original(buf, 0)
	e.Forget()
}

// original undoes the changes in a copy of the block that begins at its position from.
func (e *Edits) original(dst []byte, from int) {
	for i := len(e.log) - 1; i >= 0; i-- {
		x := e.log[i]
		copy(dst[x.at-from:], e.saved[x.from:x.from+x.n])
	}
}

// Forget accepts the changes.
func (e *Edits) Forget() {
	if len(e.log) > 0 {
		e.log, e.saved = e.log[:0], e.saved[:0]
	}
}

// Last is what the last Remember has kept.
func (e *Edits) Last() []byte { return e.saved[e.log[len(e.log)-1].from:] }
