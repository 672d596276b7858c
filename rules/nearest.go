package rules

import "strings"

// nearest returns a hint with the name that comes nearest to got, or "" if none does.
func nearest(got string, names []string) string {
	best, dist := "", len(got)/2+2
	for _, n := range names {
		if d := distance(strings.ToLower(got), strings.ToLower(n)); d < dist {
			best, dist = n, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance is the number of single-letter edits between two words (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
