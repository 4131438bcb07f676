package vfs

import (
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
)

// Stores are the schemes of paths that are not on this machine. s3a is how Hadoop
// spells s3; the spelling stays, since it stands in what other programs read.
var stores = [...]string{"s3", "s3a", "http", "https"}

// Scheme tells which store a path belongs to, and what it names there: "s3" and
// "bucket/key". ok is false for a path of this machine.
//
// Inside the program a path of a store has one slash behind its scheme, s3:/bucket/key:
// what filepath.Clean and filepath.Join make of s3://bucket/key, and leave as it is. Abs
// makes it, Show prints it, and nothing else needs to know.
func Scheme(path string) (scheme, rest string, ok bool) {
	path = strings.TrimPrefix(filepath.ToSlash(path), "./") // what Windows puts before a colon
	scheme, rest, ok = strings.Cut(path, ":/")
	if !ok {
		scheme, rest, ok = path, "", strings.HasSuffix(path, ":")
		scheme = strings.TrimSuffix(scheme, ":")
	}
	if !ok || !isStore(scheme) {
		return "", "", false
	}
	return scheme, strings.TrimLeft(rest, "/"), true
}

func isStore(scheme string) bool {
	for _, s := range stores {
		if s == scheme {
			return true
		}
	}
	return false
}

// IsWeb reports a path that is one file behind a web address: it is read whole, has no
// directory around it, and its question mark is no wildcard.
func IsWeb(path string) bool {
	scheme, _, ok := Scheme(path)
	return ok && (scheme == "http" || scheme == "https")
}

// Abs makes a path, or a URI, of a user absolute; a relative one starts from dir.
func Abs(dir, text string) (string, error) {
	if _, _, ok := Scheme(text); ok {
		return absStore(text)
	}
	if scheme, rest, ok := strings.Cut(text, ":"); ok && (strings.HasPrefix(rest, "//") || scheme == "file") && !strings.ContainsAny(scheme, `/\*?[{`) {
		path, err := absURI(strings.ToLower(scheme), text)
		if err != nil || scheme != "file" {
			return path, err
		}
		text = path
	}
	if filepath.IsAbs(text) {
		return filepath.Clean(text), nil
	}
	if _, _, ok := Scheme(dir); ok {
		return filepath.Join(dir, text), nil
	}
	return filepath.Abs(filepath.Join(dir, text))
}

func absStore(text string) (string, error) {
	scheme, rest, _ := Scheme(text)
	if rest == "" || strings.HasPrefix(rest, "?") {
		return "", fmt.Errorf("path %s: it names no %s", Hidden(text), pick(IsWeb(text), "host", "bucket"))
	}
	if !IsWeb(text) && userInfo.MatchString(text) {
		return "", fmt.Errorf("path %s: keys do not stand in a path: they are the options s3.access_key and s3.secret_key", Hidden(text))
	}
	body, query := rest, ""
	if IsWeb(text) {
		if at := strings.IndexAny(rest, "?#"); at >= 0 {
			body, query = rest[:at], rest[at:]
		}
		if strings.Contains(query, "/") || body != strings.TrimSuffix(filepath.ToSlash(filepath.Clean(body)), "/") {
			return "", fmt.Errorf("path %s: an address has no empty part, no \"..\" and no slash at its end or in its question", Hidden(Show(text)))
		}
	}
	return filepath.Clean(scheme+":/"+body) + query, nil
}

func absURI(scheme, text string) (string, error) {
	switch scheme {
	case "file":
		u, err := url.Parse(text)
		if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" {
			return "", fmt.Errorf("%q is not a file URI: write file:///path", text)
		}
		return filepath.FromSlash(u.Path), nil
	case "s3", "s3a", "http", "https":
		return absStore(scheme + text[len(scheme):])
	case "s3n":
		return "", fmt.Errorf("path %s: s3n:// is not supported; write s3://bucket/key", Hidden(text))
	case "hdfs", "webhdfs", "viewfs":
		return "", fmt.Errorf("path %s: HDFS is not read or written; mount it (hdfs-fuse, NFS gateway) and name the mounted directory, "+
			"or copy the files to a directory or an S3 bucket: hadoop distcp %s s3a://…", Hidden(text), Hidden(text))
	case "gs":
		return "", fmt.Errorf("path %s: gs:// is not supported; Google Cloud Storage answers as S3 too: "+
			"write s3://… with s3_endpoint = 'https://storage.googleapis.com' and an HMAC key", Hidden(text))
	case "abfs", "abfss", "wasb", "wasbs", "az":
		return "", fmt.Errorf("path %s: Azure Blob Storage is not supported; mount it (blobfuse2) and name the mounted directory, or use an S3 gateway", Hidden(text))
	}
	return "", fmt.Errorf("path %s: there is no file system for %s:// paths; file://, s3:// and, for finite tables, http(s):// can be read", Hidden(text), scheme)
}

// Name gives what the format of a file is seen from: the path without the question of a web
// address.
func Name(text string) string {
	if scheme, _, ok := strings.Cut(text, ":/"); ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")) {
		text, _, _ = strings.Cut(text, "?")
	}
	return text
}

// Show gives a path as people write it: s3://bucket/key.
func Show(path string) string {
	scheme, rest, ok := Scheme(path)
	if !ok {
		return path
	}
	return scheme + "://" + rest
}

var userInfo = regexp.MustCompile(`(:/+[^/\s:@]*):[^/\s]+@`)

// Hidden gives a path or address without the password that stands before its host: how it
// is named in messages and plans. Nothing is found by it.
func Hidden(text string) string { return userInfo.ReplaceAllString(text, "$1:***@") }

func pick(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}
