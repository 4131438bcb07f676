package vfs

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestAbs(t *testing.T) {
	for text, want := range map[string]string{
		"s3://b/in/x.json":        "s3:/b/in/x.json",
		"S3://b/in":               "s3:/b/in",
		"s3a://b/in//x/":          "s3a:/b/in/x",
		"s3:/b/in":                "s3:/b/in",
		"s3://b/d=1/*.json":       "s3:/b/d=1/*.json",
		"https://h:8/a/b.csv?x=1": "https:/h:8/a/b.csv?x=1",
		"file:///tmp/a":           "/tmp/a",
		"file:/tmp/a%20b":         "/tmp/a b",
		"file://localhost/tmp/a":  "/tmp/a",
		"in/x":                    "/home/in/x",
		"in/key=a:b/x":            "/home/in/key=a:b/x",
		"../x":                    "/x",
		"/abs/./x":                "/abs/x",
	} {
		got, err := Abs("/home", text)
		if err != nil || filepath.ToSlash(got) != want {
			t.Errorf("Abs(%q) = %q, %v; want %q", text, got, err, want)
		}
		if again, err := Abs("/other", got); err != nil || again != got {
			t.Errorf("Abs(%q) = %q, %v: not stable", got, again, err)
		}
	}
	if got, err := Abs("s3:/b/base", "in/x"); err != nil || got != "s3:/b/base/in/x" {
		t.Errorf("relative to a store: %q %v", got, err)
	}
	for text, want := range map[string]string{
		"hdfs://n/x": "distcp", "gs://b/x": "storage.googleapis.com", "abfss://c/x": "blobfuse2", "ftp://h/x": "ftp://",
		"s3://": "bucket", "file://host/x": "file URI", "https://h/a//b": "empty part", "https://h/a/../b": `".."`, "s3n://b/x": "s3://",
	} {
		if _, err := Abs("/home", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Abs(%q): %v; want %q", text, err, want)
		}
	}
}

func TestShowAndScheme(t *testing.T) {
	for path, want := range map[string]string{"s3:/b/k": "s3://b/k", "/a/b": "/a/b", "https:/h/x?y": "https://h/x?y", "a:/b": "a:/b", `./s3:/b`: "s3://b"} {
		if got := Show(path); got != want {
			t.Errorf("Show(%q) = %q", path, got)
		}
	}
	// What the standard library makes of a path keeps its form.
	for _, path := range []string{filepath.Join("s3:/b", "k", "x"), filepath.Dir("s3:/b/k/x/y"), filepath.Clean("s3://b/k/x")} {
		if got := filepath.ToSlash(path); got != "s3:/b/k/x" {
			t.Errorf("%q", got)
		}
	}
	if rel, err := filepath.Rel("s3:/b/k", "s3:/b/k/x/y"); err != nil || filepath.ToSlash(rel) != "x/y" {
		t.Errorf("rel: %q %v", rel, err)
	}
}

// No message names a password.
func TestHidden(t *testing.T) {
	for text, want := range map[string]string{
		"ftp://me:pass@host/x":   "ftp://me:***@host/x",
		"s3:/me:pass@bucket/x":   "s3:/me:***@bucket/x",
		"http://me:p@ss@host/x":  "http://me:***@host/x",
		"https://host:80/a@b":    "https://host:80/a@b",
		"/dir/a:b@c":             "/dir/a:b@c",
		"http://me@host/x":       "http://me@host/x",
		"http://:pass@host/a:b@": "http://:***@host/a:b@",
	} {
		if got := Hidden(text); got != want {
			t.Errorf("%s is shown as %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"ftp://me:pass@host/x", "hdfs://me:pass@host/x", "gs://me:pass@b/x", "az://me:pass@b/x", "s3://me:pass@b/x", "s3:/me:pass@b/x", "http://me:pass@host/../x"} {
		if _, err := Abs("/", text); err == nil || strings.Contains(err.Error(), "pass@") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
