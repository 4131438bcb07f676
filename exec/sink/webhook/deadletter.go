package webhook

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sqlstream/sqlstream/storage/vfs"
)

// letter is the file of a refused request. Neither URL nor headers are in it.
type letter struct {
	Key      string          `json:"idempotency_key"`
	Query    string          `json:"query"`
	Batch    int64           `json:"batch"`
	Chunk    int             `json:"chunk"`
	Time     string          `json:"time"`
	Host     string          `json:"host"`
	Status   int             `json:"status"`
	Response string          `json:"response,omitempty"`
	Rows     json.RawMessage `json:"rows,omitempty"`
	Lines    string          `json:"lines,omitempty"`
}

// bury keeps a refused request in the dead-letter directory, durably and once: the name of
// its file is that of the request.
func (s *Sink) bury(r request, why *refusal) error {
	l := letter{Key: s.key(r), Query: s.cfg.Query, Batch: r.batch, Chunk: r.chunk, Time: s.cfg.Clock.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
		Host: s.url.Host, Status: why.Status, Response: why.Text}
	if r.contentType == "application/json" {
		l.Rows = r.body
	} else {
		l.Lines = string(r.body)
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	dir := s.abs(s.deadLetter)
	if err := vfs.MkdirAllSync(s.cfg.FS, dir); err != nil {
		return fmt.Errorf("dead_letter: %w", err)
	}
	name := strings.NewReplacer("/", "_", "\\", "_").Replace(l.Key) + ".json"
	if err := vfs.WriteFileAtomic(s.cfg.FS, filepath.Join(dir, name), append(text, '\n'), true); err != nil {
		return fmt.Errorf("dead_letter: %w", err)
	}
	s.log.Warn("a refused request was kept", "query", s.cfg.Query, "sink", s.cfg.Name, "batch_id", r.batch, "err", why)
	return nil
}

func (s *Sink) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.cfg.Dir, path)
}
