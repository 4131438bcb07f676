package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Block is a fenced block of a page. These have a meaning here:
//
//	```sql            runs in the page's session; it must not fail, unless its output says so
//	```sh             the same for commands of the program; other commands need a reason
//	```http           a request to a server over the page's session; its output is status and body
//	```text           directly below one of them: its output, compared
//	```test           a golden test file, which must pass
//	```json in/a.json any language with a path: the block is that file
//	<!-- not run: … --> directly above a block: it does not run, and why
//
// The blocks of a page run from top to bottom in one directory and, for SQL, one
// session. The directory begins with the files of testdata/<page>/ beside the page.
type Block struct {
	Line   int    // of the opening fence, from 1
	Lang   string // "sql"
	File   string // "in/a.json"
	Text   string
	Reason string // why it does not run; "" = it runs
	Output *Block // nil = none stated

	from, to int // lines of the text
}

var notRun = regexp.MustCompile(`^<!-- not run: (.+) -->$`)

// Blocks finds the fenced blocks of a page, in order. A block that is the output of the
// one before it is not listed on its own.
func Blocks(text string) ([]*Block, error) {
	lines := strings.Split(text, "\n")
	var out []*Block
	reason, last := "", (*Block)(nil)
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		switch m := notRun.FindStringSubmatch(line); {
		case line == "":
		case m != nil:
			reason, last = m[1], nil
		case !strings.HasPrefix(line, "```"):
			reason, last = "", nil
		default:
			b, err := block(lines, i)
			if err != nil {
				return nil, err
			}
			i = b.to
			if b.Lang == "text" && last != nil {
				last.Output, last = b, nil
				continue
			}
			b.Reason, reason = reason, ""
			out, last = append(out, b), b
		}
	}
	return out, nil
}

func block(lines []string, i int) (*Block, error) {
	info := strings.Fields(strings.TrimPrefix(strings.TrimSpace(lines[i]), "```"))
	b := &Block{Line: i + 1, from: i + 1}
	if len(info) > 0 {
		b.Lang = info[0]
	}
	if len(info) > 1 {
		b.File = info[1]
	}
	for k := i + 1; k < len(lines); k++ {
		if strings.TrimSpace(lines[k]) == "```" {
			b.to = k
			b.Text = strings.Join(lines[i+1:k], "\n")
			return b, nil
		}
	}
	return nil, fmt.Errorf("line %d: the block is never closed", b.Line)
}

// Replace sets the text of blocks in a page; the lines of later blocks must not have
// moved, so it goes from the bottom up.
func Replace(text string, changed []*Block, to []string) string {
	lines := strings.Split(text, "\n")
	for i := len(changed) - 1; i >= 0; i-- {
		b := changed[i]
		rest := append(strings.Split(to[i], "\n"), lines[b.to:]...)
		lines = append(lines[:b.from:b.from], rest...)
	}
	return strings.Join(lines, "\n")
}

// Markdown lists the pages of the project, from the root.
func Markdown(root string) ([]string, error) {
	var out []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// prepare fills the directory of a page with its files.
func prepare(dir, page string) error {
	name := strings.TrimSuffix(filepath.Base(page), ".md")
	from := filepath.Join(filepath.Dir(page), "testdata", name)
	if _, err := os.Stat(from); err != nil {
		return nil
	}
	return os.CopyFS(dir, os.DirFS(from))
}
