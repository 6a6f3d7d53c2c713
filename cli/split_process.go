package cli

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tracex/recorder/convert/perfetto"
	"tracex/recorder/instrument/raw"
)

// splitProcess is a process that gets a trace by --split.
type splitProcess struct {
	file      string // its raw file; "" if there is none
	name, pid string
	packets   perfetto.Process
	path      string // of its trace
}

// splitProcesses returns the processes of raw files.
func splitProcesses(files []string) []splitProcess {
	all := make([]splitProcess, len(files))
	var order []*perfetto.Process
	for i, path := range files {
		p := &all[i]
		p.file = path
		f, err := raw.Open(path)
		if err != nil {
			p.pid, _, _ = strings.Cut(filepath.Base(path), "-")
			p.packets.PID = -1 // of no process
			continue
		}
		h := &f.Head
		p.name, p.pid = h.Program(), strconv.FormatUint(h.PID, 10)
		p.packets = perfetto.Process{PID: int32(min(h.PID, math.MaxInt32)), From: int64(min(h.Nanos, math.MaxInt64)), To: math.MaxInt64}
		order = append(order, &p.packets)
		f.Close()
	}
	// A process that became another program has several files: each has what was recorded until the next
	// one, and the first one also what was recorded before.
	slices.SortFunc(order, func(a, b *perfetto.Process) int {
		return cmp.Or(cmp.Compare(a.PID, b.PID), cmp.Compare(a.From, b.From))
	})
	for i, p := range order {
		if i > 0 && order[i-1].PID == p.PID {
			order[i-1].To = p.From
		} else {
			p.From = math.MinInt64
		}
	}
	return all
}
