package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\]\(([^)#\s]*)(#[^)\s]*)?\)`)

// TestLinks: links between pages, and the anchors in them, lead somewhere.
func TestLinks(t *testing.T) {
	pages, err := Markdown(Root)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range pages {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(withoutBlocks(string(raw)), -1) {
			checkLink(t, path, m[1], strings.TrimPrefix(m[2], "#"))
		}
	}
}

func checkLink(t *testing.T, page, to, anchor string) {
	t.Helper()
	if strings.Contains(to, "://") {
		return
	}
	target := page
	if to != "" {
		target = filepath.Join(filepath.Dir(page), filepath.FromSlash(to))
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		t.Errorf("%s: the link to %s leads nowhere", page, to)
	case anchor == "" || info.IsDir() || !strings.HasSuffix(target, ".md"):
	default:
		raw, err := os.ReadFile(target)
		if err != nil {
			t.Fatal(err)
		}
		if !hasAnchor(string(raw), anchor) {
			t.Errorf("%s: %s has no heading #%s", page, target, anchor)
		}
	}
}

var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

func hasAnchor(text, anchor string) bool {
	for line := range strings.Lines(withoutBlocks(text)) {
		title := strings.TrimLeft(line, "#")
		if title == line {
			continue
		}
		slug := notInAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
		if strings.ReplaceAll(slug, " ", "-") == anchor {
			return true
		}
	}
	return false
}

// withoutBlocks is a page without its fenced blocks.
func withoutBlocks(text string) string {
	var out strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inside = !inside
			continue
		}
		if !inside {
			out.WriteString(line)
		}
	}
	return out.String()
}
