//go:build !mutants

package crash

import (
	"errors"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"github.com/sqlstream/sqlstream/storage/crash"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// A disk that is full, read-only or broken from some operation on: the query stops with
// the cause, the path and what to do; once the disk is well again it goes on exactly.
func TestDiskErrorsSayWhatToDo(t *testing.T) {
	for _, d := range []struct {
		name  string
		cause error
		on    string // a directory
		say   string
	}{
		{"full disk under the checkpoint", syscall.ENOSPC, "/ck", "free some space on that file system, then start the query again: nothing is lost"},
		{"full disk under the sink", syscall.ENOSPC, "/out", "free some space on that file system, then start the query again: nothing is lost"},
		{"quota of the checkpoint", syscall.EDQUOT, "/ck", "free some space"},
		{"read-only checkpoint", syscall.EROFS, "/ck", "give the user of this process write permission, or choose another checkpoint directory"},
		{"no permission for the checkpoint", syscall.EACCES, "/ck", "give the user of this process write permission"},
		{"read-only output directory", syscall.EROFS, "/out", "give the user of this process write permission"},
		{"broken disk under the checkpoint", syscall.EIO, "/ck", "check the device and the file system"},
		{"broken disk under the sink", syscall.EIO, "/out", "check the device and the file system"},
	} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			failed := 0
			for from := int64(1); from < 180; from += 7 {
				s := newStage("two sinks of a statement set")
				s.fs.OnOp(func(op vfs.Op) error {
					if op.N < from || !strings.HasPrefix(op.Path, d.on) {
						return nil
					}
					return d.cause
				})
				err := s.r.work(crash.Life{FS: s.fs, N: 1, Rand: rand.New(rand.NewPCG(3, 1))})
				if err != nil {
					failed++
					if !errors.Is(err, d.cause) || !strings.Contains(err.Error(), d.say) || !strings.Contains(err.Error(), d.on) {
						t.Errorf("from operation %d on: %v", from, err)
					}
				}
				s.fs.OnOp(nil)
				s.fs = s.fs.KillClone()
				if err := s.goOn(9); err != nil {
					t.Fatalf("from operation %d on: the next start: %v", from, err)
				}
				if err := s.check(); err != nil {
					t.Fatalf("from operation %d on: %v", from, err)
				}
			}
			if failed < 5 {
				t.Errorf("only %d runs failed", failed)
			}
		})
	}
}
