package docs

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// module is a library that is linked into the program.
type module struct {
	path, version, dir string
	texts              []licence
}

// licence is a file that a module ships.
type licence struct{ file, kind, text string }

// targets are the systems whose builds link libraries.
func targets() []string { return []string{"linux/amd64", "darwin/arm64", "windows/amd64"} }

// Notices is THIRD_PARTY_NOTICES.md: every module linked on some target, with the
// licences that it ships.
func Notices() (string, error) {
	mods, err := linked()
	if err != nil {
		return "", err
	}
	w := &page{}
	w.line("# Third-party notices")
	w.line("")
	w.line("<!-- Generated: go test ./tests/docs -update. Do not edit. -->")
	w.line("")
	w.line("The program links these modules. Test-only modules are not listed.")
	w.line("")
	w.line("| module | version | licence |")
	w.line("|---|---|---|")
	for _, m := range mods {
		var kinds []string
		for _, l := range m.texts {
			kinds = append(kinds, l.kind)
		}
		w.line("| %s | %s | %s |", m.path, m.version, strings.Join(kinds, ", "))
	}
	w.line("")
	w.line("Go's own library is under the licence of `golang.org/x/sys`.")
	w.line("")
	w.line("The grammar of `github.com/pingcap/tidb/pkg/parser` is derived from ql, whose licence is the last text.")
	if err := w.licences(mods); err != nil {
		return "", err
	}
	return w.String(), nil
}

// licences prints every text once, with the modules that it is of.
func (w *page) licences(mods []module) error {
	of := map[string][]string{}
	var order []string
	for _, m := range mods {
		for _, l := range m.texts {
			if of[l.text] == nil {
				order = append(order, l.text)
			}
			of[l.text] = append(of[l.text], m.path)
		}
	}
	ql, err := os.ReadFile("testdata/QL-LICENSE")
	if err != nil {
		return err
	}
	for _, text := range append(order, string(ql)) {
		names := of[text]
		if names == nil {
			names = []string{"ql, by way of github.com/pingcap/tidb/pkg/parser"}
		}
		w.line("")
		w.line("## %s", strings.Join(names, ", "))
		w.line("")
		w.line("```text")
		w.line("%s", strings.ReplaceAll(strings.Trim(text, "\n"), "\f", ""))
		w.line("```")
	}
	return nil
}

// linked lists the modules of the program, by path.
func linked() ([]module, error) {
	seen := map[string]module{}
	for _, target := range targets() {
		goos, goarch, _ := strings.Cut(target, "/")
		cmd := exec.Command("go", "list", "-deps", "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/sqlstream")
		cmd.Dir, cmd.Env = Root, append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", target, err)
		}
		for line := range strings.Lines(string(out)) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			if len(f) == 3 {
				seen[f[0]] = module{path: f[0], version: f[1], dir: f[2]}
			}
		}
	}
	var mods []module
	for _, m := range seen {
		texts, err := licencesOf(m.dir)
		if err != nil || len(texts) == 0 {
			return nil, fmt.Errorf("%s: no licence found (%v)", m.path, err)
		}
		m.texts = texts
		mods = append(mods, m)
	}
	slices.SortFunc(mods, func(a, b module) int { return cmp.Compare(a.path, b.path) })
	return mods, nil
}

func licencesOf(dir string) ([]licence, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []licence
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !slices.ContainsFunc([]string{"LICENSE", "LICENCE", "NOTICE", "PATENTS", "COPYING"},
			func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		text := strings.ReplaceAll(string(raw), "\r\n", "\n")
		out = append(out, licence{e.Name(), kindOf(name, text), text})
	}
	return out, nil
}

// kindOf names a licence by its words.
func kindOf(name, text string) string {
	words := strings.Join(strings.Fields(text), " ")
	switch {
	case strings.HasPrefix(name, "NOTICE"):
		return "notice"
	case strings.HasPrefix(name, "PATENTS"):
		return "patent grant"
	}
	var kinds []string
	for _, k := range [][2]string{
		{"Apache-2.0", "Apache License"},
		{"MIT", "Permission is hereby granted, free of charge"},
		{"BSD-3-Clause", "Neither the name"},
		{"BSD-2-Clause", "Redistribution and use in source and binary forms"},
		{"CC0-1.0", "CC0 1.0 Universal"},
		{"MPL-2.0", "Mozilla Public License Version 2.0"}, // of the library's own files, which are linked as they are
	} {
		if strings.Contains(words, k[1]) && !(k[0] == "BSD-2-Clause" && slices.Contains(kinds, "BSD-3-Clause")) {
			kinds = append(kinds, k[0])
		}
	}
	if len(kinds) > 0 {
		return strings.Join(kinds, " and ")
	}
	return "see the text"
}
