package web_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/storage/vfs/web"
)

func pathOf(s *httptest.Server, rest string) string {
	return strings.Replace(s.URL, "://", ":/", 1) + rest
}

// A server with ranges, one without, and what cannot be read.
func TestRead(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 1<<19) // two windows
	bytesAsked := 0
	mux := http.NewServeMux()
	mux.HandleFunc("/ranged.csv", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "x", time.Unix(1_700_000_000, 0), bytes.NewReader(data))
	})
	mux.HandleFunc("/whole.csv", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		n, _ := w.Write(data)
		bytesAsked += n
	})
	mux.HandleFunc("/locked.csv", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) })
	s := httptest.NewServer(mux)
	defer s.Close()
	f := web.New(s.Client())
	for _, name := range []string{"/ranged.csv", "/whole.csv?token=secret"} {
		info, err := f.Stat(pathOf(s, name))
		if err != nil || info.Size() != int64(len(data)) || !strings.HasSuffix(info.Name(), ".csv") {
			t.Fatalf("%s: %v %v", name, info, err)
		}
		file, err := f.Open(pathOf(s, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(file)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		p := make([]byte, 5)
		if _, err := file.ReadAt(p, 3); err != nil || string(p) != "34567" {
			t.Errorf("%s: read at 3: %q %v", name, p, err)
		}
	}
	if _, err := f.Open(pathOf(s, "/none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
	_, err := f.Open(pathOf(s, "/locked.csv?sig=secret"))
	if err == nil || !strings.Contains(err.Error(), "403") || !strings.Contains(err.Error(), "download it") || strings.Contains(err.Error(), "secret") {
		t.Errorf("locked: %v", err)
	}
	if _, err := f.Create(pathOf(s, "/x")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("create: %v", err)
	}
	s.Close()
	if _, err := f.Open(pathOf(s, "/x")); err == nil || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("a closed server: %v", err)
	}
}

func TestReplacedWhileRead(t *testing.T) {
	data := bytes.Repeat([]byte("x"), 9<<20)
	tag := `"1"`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, "x", time.Time{}, bytes.NewReader(data))
	}))
	defer s.Close()
	file, err := web.New(s.Client()).Open(pathOf(s, "/x"))
	if err != nil {
		t.Fatal(err)
	}
	tag = `"2"`
	if _, err := file.ReadAt(make([]byte, 10), 8<<20); err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("%v", err)
	}
}
