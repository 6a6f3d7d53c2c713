package code

import (
	"bufio"
	"os"
	"strings"
)

// How many lines are read before and after a code location, and how many bytes of each line are kept.
const (
	around  = 3
	maxLine = 1000
)

// readAround reads the lines of a file around a line, counted from 1.
func readAround(path string, line int) (text []string, first int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	first = max(1, line-around)
	r := bufio.NewReader(f)
	for n := 1; n <= line+around; n++ {
		s, err := readLine(r)
		if err != nil {
			break
		}
		if n >= first {
			text = append(text, s)
		}
	}
	return text, first, nil
}

// readLine reads a line and keeps its beginning.
func readLine(r *bufio.Reader) (string, error) {
	var kept []byte
	for {
		part, prefix, err := r.ReadLine()
		if err != nil {
			return "", err
		}
		if room := maxLine - len(kept); room > 0 {
			kept = append(kept, part[:min(room, len(part))]...)
		}
		if !prefix {
			return strings.ReplaceAll(string(kept), "\t", "    "), nil
		}
	}
}
