package trigger

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/sqlstream/sqlstream/storage/fault"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// sinkError is a failure of an output, on its way through the operators that were
// giving it rows: they have no part in it.
type sinkError struct{ err error }

func (e *sinkError) Error() string { return e.err.Error() }

// Unwrap gives the cause.
func (e *sinkError) Unwrap() error { return e.err }

// wrap names the output, and says what to do about a failure of the disk.
func (o *Output) wrap(err error) error {
	var known *sinkError
	if err == nil || errors.As(err, &known) {
		return err
	}
	what := "sink " + o.Sink.Description()
	if strings.HasPrefix(err.Error(), "sink ") {
		what = ""
	}
	e := &fault.Error{What: what, Batch: fault.NoBatch, Err: err}
	switch {
	case vfs.IsDiskFull(err):
		e.Kind, e.Hint = fault.ErrDiskFull, "free some space on that file system, then start the query again: nothing is lost"
	case vfs.IsReadOnly(err):
		e.Kind, e.Hint = fault.ErrReadOnly, "give the user of this process write permission, then start the query again: nothing is lost"
	case errors.Is(err, syscall.EIO):
		e.Kind, e.Hint = fault.ErrIO, "check the device and the file system, then start the query again: it recovers from what is durable"
	case what == "":
		return &sinkError{err}
	default:
		return &sinkError{fmt.Errorf("%s: %w", what, err)}
	}
	return &sinkError{e}
}
