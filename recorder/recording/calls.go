package recording

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/disk"
)

// Calls decide what an instrumented program records.
type Calls struct {
	Only, Skip             []string // patterns of functions
	Depth, Strings, Fields int      // pointers to follow, and how much of a string and of a struct is kept
	Levels                 int      // calls nested deeper are left out; 0 for none
	Limit, Last            int64    // bytes that a process may write, and of its newest calls; 0 for the default, and for all
	NoTimes                bool
}

// Exact returns the patterns of Only that are not meant to name functions of several packages.
func (c *Calls) Exact() (list []string) {
	for _, pattern := range c.Only {
		if rest := strings.NewReplacer("(*", "", "[...]", "").Replace(pattern); !strings.Contains(rest, "*") && !strings.Contains(rest, "...") {
			list = append(list, pattern)
		}
	}
	return list
}

const defaultLimit = 8 << 30

// reservedFor returns how many bytes stay free on the disk of a trace while programs run, for the programs
// themselves.
func reservedFor(output string) int64 {
	const most = 1 << 30
	free, _ := disk.Free(filepath.Dir(output))
	return min(most, free/8)
}

// text returns the options for the program, see raw.OptionsVariable. output is the path of the trace.
func (c *Calls) text(output string) (string, error) {
	limit, reserve := c.Limit, int64(0)
	if limit == 0 {
		// The trace takes about twice the room of the raw files, which stay until it is complete.
		free, _ := disk.Free(filepath.Dir(output))
		limit, reserve = defaultLimit, free/10*7
	} else {
		reserve = reservedFor(output)
	}
	words := []string{fmt.Sprintf("depth=%d strings=%d fields=%d levels=%d limit=%d reserve=%d", c.Depth, c.Strings, c.Fields, c.Levels, limit, reserve)}
	if c.Last > 0 {
		words = append(words, fmt.Sprintf("last=%d", c.Last))
	}
	if c.NoTimes {
		words = append(words, "times=0")
	}
	for _, p := range c.Only {
		words = append(words, "only="+p)
	}
	for _, p := range c.Skip {
		words = append(words, "skip="+p)
	}
	text := strings.Join(words, " ")
	if len(text) >= raw.OptionsSize {
		return "", errors.New("the patterns of --only and --skip are too long")
	}
	return text, nil
}
