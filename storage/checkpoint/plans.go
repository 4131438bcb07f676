package checkpoint

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/storage/fault"
	"github.com/sqlstream/sqlstream/storage/textlog"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// SavePlan pins a plan durably, as lines of JSON, under the next number.
func (c *Checkpoint) SavePlan(lines ...[]byte) (k int64, err error) {
	last, err := c.lastPlan()
	if err != nil {
		return 0, err
	}
	path := c.planPath(last + 1)
	err = vfs.WriteFresh(c.fs, path, textlog.Encode(lines...))
	return last + 1, fault.IO("pinned plan", path, err)
}

// LatestPlan returns the newest pinned plan; k is NoBatch if there is none.
func (c *Checkpoint) LatestPlan() (k int64, lines [][]byte, err error) {
	k, err = c.lastPlan()
	if err != nil || k == NoBatch {
		return k, nil, err
	}
	what, path := fmt.Sprintf("pinned plan %d", k), c.planPath(k)
	data, err := vfs.ReadFile(c.fs, path)
	if err != nil {
		return k, nil, fault.IO(what, path, err)
	}
	lines, err = textlog.Decode(data)
	if err != nil {
		return k, nil, textlog.Describe(what, path, NoBatch, err, logHint)
	}
	return k, lines, nil
}

func (c *Checkpoint) planPath(k int64) string {
	return filepath.Join(c.path("meta"), fmt.Sprintf("plan-%d.json", k))
}

func (c *Checkpoint) lastPlan() (int64, error) {
	list, err := c.fs.ReadDir(c.path("meta"))
	if err != nil {
		return NoBatch, fault.IO("pinned plans", c.path("meta"), err)
	}
	last := NoBatch
	for _, e := range list {
		name, isPlan := strings.CutPrefix(e.Name(), "plan-")
		name, isJSON := strings.CutSuffix(name, ".json")
		k, err := strconv.ParseInt(name, 10, 64)
		if isPlan && isJSON && err == nil {
			last = max(last, k)
		}
	}
	return last, nil
}
