package fault

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"
)

func TestMessageSaysWhatWhereWhyAndWhatToDo(t *testing.T) {
	err := Corrupt("offset log 41", "/c/offsets/41", 41, "checksum does not match", "restore it")
	if got, want := err.Error(), "offset log 41 (/c/offsets/41): checksum does not match; restore it"; got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	if !errors.Is(err, ErrCorrupt) || errors.Is(err, ErrMissing) {
		t.Fatal("kind not found by errors.Is")
	}
}

func TestIOPicksTheKind(t *testing.T) {
	for _, c := range []struct {
		cause error
		kind  error
	}{
		{&fs.PathError{Op: "write", Path: "f", Err: syscall.ENOSPC}, ErrDiskFull},
		{syscall.EROFS, ErrReadOnly},
		{fs.ErrPermission, ErrReadOnly},
		{syscall.EIO, ErrIO},
	} {
		err := IO("state log", "/c/state/log/0.log", c.cause)
		if !errors.Is(err, c.kind) || !errors.Is(err, c.cause) {
			t.Errorf("%v: got %v", c.cause, err)
		}
		if again := IO("outer", "/x", err); again != err {
			t.Errorf("%v: described twice: %v", c.cause, again)
		}
	}
	if IO("x", "y", nil) != nil {
		t.Error("no failure became one")
	}
}
