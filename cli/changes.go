package cli

import "tracex/format"

// changeLines say what was guessed and what was lost where a trace is of another
// version of the format than what was recorded, a line for each kind.
func changeLines(changes map[format.Change]int64) (lines []string) {
	for _, c := range format.AllChanges() {
		n := changes[c]
		if n == 0 {
			continue
		}
		what := "lost: "
		if c.Guess() {
			what = "guessed: "
		}
		lines = append(lines, what+grouped(n)+" "+c.Words(n))
	}
	return lines
}
