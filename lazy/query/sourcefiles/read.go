package sourcefiles

import (
	"bufio"
	"io"
	"os"
	"strings"
)

// How many lines are read before and after a code location, and how many bytes of each line are kept.
const (
	around  = 3
	maxLine = 1000
)

// ReadAround reads up to 7 lines of a file, those around a line, which counts from 1. First is the number of the first
// of them; text is empty if the file is shorter. The error is that of opening the file. Tabs are four spaces, and at
// most 1000 bytes of a line are kept, as in ReadAll.
func ReadAround(path string, line int) (text []string, first int, err error) {
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

// maxLines bounds what ReadAll reads.
const maxLines = 1 << 20

// ReadAll reads the lines of a file, at most a million. The error is that of opening or reading the file.
func ReadAll(path string) (text []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	for len(text) < maxLines {
		s, err := readLine(r)
		if err == io.EOF {
			break
		}
		if err != nil {
			return text, err
		}
		text = append(text, s)
	}
	return text, nil
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
