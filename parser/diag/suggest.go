package diag

import (
	"strings"
	"unicode/utf8"
)

// maxDistance is the greatest edit distance at which a name is suggested.
const maxDistance = 2

// DidYouMean returns the candidate nearest to name, regardless of case, when it
// is at most two edits away (one for names up to three letters, none for single
// letters); else "". Of equally near candidates the first wins.
func DidYouMean(name string, candidates []string) string {
	best, bestDistance := "", maxDistance+1
	length := utf8.RuneCountInString(name)
	if length <= 3 {
		bestDistance = maxDistance
	}
	folded := strings.ToLower(name)
	for _, c := range candidates {
		if abs(utf8.RuneCountInString(c)-length) >= bestDistance {
			continue
		}
		d := distance(folded, strings.ToLower(c), bestDistance)
		if d < bestDistance && d < length {
			best, bestDistance = c, d
		}
	}
	return best
}

// HintDidYouMean is DidYouMean as a hint text, or "" without a near candidate.
func HintDidYouMean(name string, candidates []string) string {
	if c := DidYouMean(name, candidates); c != "" {
		return `did you mean "` + c + `"?`
	}
	return ""
}

// Near tells whether two words differ by one edit at most, regardless of case.
func Near(a, b string) bool {
	return distance(strings.ToLower(a), strings.ToLower(b), maxDistance) < maxDistance
}

// distance is the edit distance (insert, delete, replace, swap of neighbours),
// or limit when it is at least that.
func distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if abs(len(x)-len(y)) >= limit {
		return limit
	}
	before, previous, current := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(x); i++ {
		current[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			current[j] = min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return min(previous[len(y)], limit)
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
