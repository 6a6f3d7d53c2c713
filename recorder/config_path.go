package recorder

import (
	"strconv"
	"strings"
	"time"
)

// expand replaces %p and %t in a path by the process and the time.
func expand(path string, pid int, now time.Time) string {
	return strings.NewReplacer(
		"%%", "%",
		"%p", strconv.Itoa(pid),
		"%t", now.Format("2006-01-02_15-04-05"),
	).Replace(path)
}

// File returns the path of the data file, with %p and %t in [Config.Path] replaced; "" if the
// recording goes to a service, or nowhere.
func (r *Recorder) File() string {
	if r == nil || r.config.Strategy == SharedMemory {
		return ""
	}
	return r.config.Path
}
