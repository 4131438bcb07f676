// Package fault is the shape of every storage failure: what it was, where,
// why, and what to do about it.
//
// Callers branch on the kind with errors.Is; people read the message. The
// package knows no file format and decides nothing.
package fault

import (
	"errors"
	"strings"
	"syscall"

	"github.com/sqlstream/sqlstream/storage/vfs"
)

// The kinds of failure.
var (
	// ErrCorrupt: the bytes are not what was written. Never retried.
	ErrCorrupt = errors.New("corrupt")
	// ErrMissing: something that must be there is not.
	ErrMissing = errors.New("missing")
	// ErrVersion: written by a newer program.
	ErrVersion = errors.New("unknown format version")
	// ErrLocked: another process uses the checkpoint.
	ErrLocked = errors.New("locked")
	// ErrFenced: a later run has taken over.
	ErrFenced = errors.New("fenced")
	// ErrReadOnly: writing is not permitted.
	ErrReadOnly = errors.New("read-only")
	// ErrDiskFull: no space or quota is left.
	ErrDiskFull = errors.New("disk full")
	// ErrIO: the device or the file system failed.
	ErrIO = errors.New("i/o error")
	// ErrFailed: an earlier failure left the content unknown; only a new
	// start, which recovers, may go on.
	ErrFailed = errors.New("failed earlier")
)

// NoBatch is the batch of a failure that concerns none.
const NoBatch int64 = -1

// Error is one failure.
type Error struct {
	Kind  error  // one of the kinds above
	What  string // the thing, for instance "offset log 41"
	Path  string // the file or directory
	Batch int64  // the batch concerned, or NoBatch
	Why   string // the reason, in words
	Err   error  // the cause below, or nil
	Hint  string // what to do
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.What)
	if e.Path != "" {
		b.WriteString(" (" + e.Path + ")")
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	switch {
	case e.Why == "" && e.Err == nil:
		b.WriteString(e.Kind.Error())
	case e.Why == "":
		b.WriteString(e.Err.Error())
	case e.Err == nil:
		b.WriteString(e.Why)
	default:
		b.WriteString(e.Why + ": " + e.Err.Error())
	}
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// Unwrap gives errors.Is both the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// Corrupt describes bytes that are not what was written.
func Corrupt(what, path string, batch int64, why, hint string) *Error {
	return &Error{Kind: ErrCorrupt, What: what, Path: path, Batch: batch, Why: why, Hint: hint}
}

// IO describes a failed operation on path, with the kind and the advice that
// its cause calls for. A failure that is described already is returned as is.
func IO(what, path string, err error) error {
	if err == nil {
		return nil
	}
	if known := (*Error)(nil); errors.As(err, &known) {
		return err
	}
	e := &Error{Kind: ErrIO, What: what, Path: path, Batch: NoBatch, Err: err,
		Hint: "check the device and the file system, then start the query again: it recovers from what is durable"}
	var remote interface{ WayOut() string }
	switch {
	case errors.Is(err, vfs.ErrConflict):
		e.Kind = ErrFenced
		e.Hint = "a checkpoint serves one running query, and the one started last has it: stop one of the two"
	case errors.As(err, &remote):
		e.Hint = "start the query again once that is repaired: it recovers from what is durable"
	case vfs.IsDiskFull(err):
		e.Kind, e.Why = ErrDiskFull, "no space left"
		e.Hint = "free some space on that file system, then start the query again: nothing is lost"
	case errors.Is(err, syscall.ENOTDIR):
		e.Why = "it is not a directory"
		e.Hint = "choose another checkpoint directory"
	case vfs.IsReadOnly(err):
		e.Kind, e.Why = ErrReadOnly, "not writable"
		e.Hint = "give the user of this process write permission, or choose another checkpoint directory"
	}
	return e
}
