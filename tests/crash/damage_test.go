//go:build !mutants

package crash

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format/sinklog"
	"github.com/sqlstream/sqlstream/storage/checkpoint"
	"github.com/sqlstream/sqlstream/storage/crash"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// damages are what disks and people do to a file.
var damages = map[string]func(data []byte) []byte{
	"emptied":   func([]byte) []byte { return nil },
	"cut":       func(d []byte) []byte { return d[:len(d)/2] },
	"one short": func(d []byte) []byte { return d[:max(0, len(d)-1)] },
	"flipped": func(d []byte) []byte {
		out := append([]byte(nil), d...)
		if len(out) > 0 {
			out[len(out)/3] ^= 0x10
		}
		return out
	},
	"zeroed": func(d []byte) []byte { return make([]byte, len(d)) },
	"gone":   nil,
}

// Every file of checkpoint and sink log, damaged in every way after half of the input:
// the next start either says which file it cannot trust, or does not need it and ends
// with the right result. It never guesses.
func TestDamagedFiles(t *testing.T) {
	for _, name := range []string{"dedup and windows to JSON", "grouped counts in update mode", both} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(name)
			if err := s.goOn(7); err != nil {
				t.Fatal(err)
			}
			whole, err := s.save("/")
			if err != nil {
				t.Fatal(err)
			}
			refused := 0
			for file := range whole {
				if !strings.HasPrefix(file, "/ck/") && !strings.Contains(file, sinklog.Dir) {
					continue
				}
				for how, damage := range damages {
					if tolerated(file, how) {
						continue
					}
					said, err := s.damaged(whole, file, damage)
					if err != nil {
						t.Errorf("%s %s: %v", file, how, err)
					}
					if said {
						refused++
					}
				}
			}
			if refused < 40 {
				t.Errorf("only %d damages were noticed", refused)
			}
			t.Logf("%d of %d damages were refused", refused, len(whole)*len(damages))
		})
	}
}

// tolerated are damages that cannot be seen: Spark's log has no checksum, and what an
// early batch took is known from its file alone once its offsets are purged. A commit in
// the middle is not needed.
func tolerated(file, how string) bool {
	return how == "flipped" && strings.Contains(file, sinklog.Dir) ||
		how == "gone" && strings.Contains(file, "/sources/") ||
		how == "gone" && strings.HasSuffix(file, "/commits/0")
}

// damaged starts from the whole files with one damaged, and judges what happens.
func (s *stage) damaged(whole map[string][]byte, file string, damage func([]byte) []byte) (said bool, err error) {
	r := *s.r
	n := &stage{r: &r, fs: vfs.NewCrashable(1), life: s.life}
	if batch, ok := strings.CutPrefix(file, checkpointDir+"/commits/"); ok && damage == nil {
		if _, err := fmt.Sscan(batch, &r.noCommit); err != nil {
			return false, err
		}
	}
	for name, data := range whole {
		if name == file {
			if damage == nil {
				continue
			}
			data = damage(data)
		}
		if err := vfs.MkdirAllSync(n.fs, path.Dir(name)); err != nil {
			return false, err
		}
		if err := vfs.WriteFileAtomic(n.fs, name, data, true); err != nil {
			return false, err
		}
	}
	err = n.r.work(crash.Life{FS: n.fs, N: 1, Rand: rand.New(rand.NewPCG(11, 1))})
	if err == nil {
		return false, n.check()
	}
	return true, promised(err, file)
}

// promised reports an error that is not what a damaged file is promised to give.
func promised(err error, file string) error {
	kinds := []error{checkpoint.ErrCorrupt, checkpoint.ErrMissing, checkpoint.ErrVersion, checkpoint.ErrFenced, sinklog.ErrCorrupt}
	for _, k := range kinds {
		if errors.Is(err, k) {
			return nil
		}
	}
	if strings.Contains(file, sinklog.Dir) && strings.Contains(err.Error(), "sink") || strings.Contains(err.Error(), "another checkpoint of query") {
		return nil // the marker rule
	}
	return fmt.Errorf("not a promised error: %w", err)
}
