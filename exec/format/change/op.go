// Package change owns what changes look like in data: the words that say what became of
// a row, and the reader that gives rows their weights by them. The formats decode the
// rows themselves. Open this file first, then reader.go.
package change

import "fmt"

// Op is what became of a row.
type Op uint8

// The kinds of changes.
const (
	None    Op = iota
	Insert     // the row is new
	Delete     // the row is gone
	Replace    // the row is the new version of another, which is not told
)

// longest is the number of bytes of the longest word.
const longest = len("update_before")

// Parse reads a word, in any case: those of changelogs (+I, -U, +U, -D, + and -), of
// Debezium (c, r, u, d), of databases (insert, update, delete), and their initials.
func Parse(word []byte) Op {
	if len(word) > longest {
		return None
	}
	var low [longest]byte
	for i, c := range word {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		low[i] = c
	}
	switch string(low[:len(word)]) {
	case "+", "+i", "i", "insert", "c", "create", "r", "read", "+u", "update_after":
		return Insert
	case "-", "-d", "d", "delete", "-u", "update_before":
		return Delete
	case "u", "update", "upsert":
		return Replace
	}
	return None
}

// Weight is what a word adds to the count of its row. The reason is empty unless the
// word is none, or needs the row from before, which only a key can find.
func Weight(word []byte, keyed bool) (w int64, reason string) {
	switch Parse(word) {
	case Insert:
		return 1, ""
	case Delete:
		return -1, ""
	case Replace:
		if keyed {
			return 1, ""
		}
		return 0, fmt.Sprintf("%q does not say which row it replaces; declare a PRIMARY KEY, or deliver the row from before with -U and the new one with +U", word)
	}
	return 0, fmt.Sprintf("%q is no change; the words are I, U, D, their long forms, c, r, u, d, + and -, +I, -U, +U, -D", word)
}
