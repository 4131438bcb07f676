package sinklog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Gone is a data file that has left the log, or is about to, and is removed later: readers
// that have read the log before may still be at it. The list of them is ours, in .gone.
type Gone struct {
	Name string `json:"name"` // as File.Name
	Due  int64  `json:"due"`  // ms: when it may be removed
}

// Gone reads the list.
func (l *Log) Gone() ([]Gone, error) {
	data, err := vfs.ReadFile(l.fs, l.file(goneFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Gone
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, l.corrupt(goneFile, "%v", err)
	}
	for _, g := range list {
		if _, err := local(g.Name); err != nil {
			return nil, l.corrupt(goneFile, "%v", err)
		}
	}
	return list, nil
}

// SetGone replaces the list, durably.
func (l *Log) SetGone(list []Gone) error {
	if list == nil {
		list = []Gone{}
	}
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	if err := vfs.WriteFileAtomic(l.fs, l.file(goneFile), append(data, '\n'), true); err != nil {
		return fmt.Errorf("the files to remove: %w", err)
	}
	return nil
}
