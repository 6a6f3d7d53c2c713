package bench

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"tracex/recorder/instrument/raw"
)

//go:embed zerocode/main.go.txt
var zeroCodeProgram []byte

// ZeroCode is the result of [RecordZeroCode]. Programs rely on the names in JSON: never change
// one.
type ZeroCode struct {
	System string        `json:"system"`
	CPUs   int           `json:"cpus"`
	Go     string        `json:"go"`
	Rounds int           `json:"rounds"`
	Rows   []ZeroCodeRow `json:"zero_code"`
}

// ZeroCodeRow is a call in a program that is as it is, instrumented without recording, and
// recording: medians of ns a call over all goroutines, and of allocations.
type ZeroCodeRow struct {
	Call   string  `json:"call"`
	Plain  float64 `json:"ns_plain"`
	Off    float64 `json:"ns_not_recording"`
	On     float64 `json:"ns_recording"`
	Allocs float64 `json:"allocs_added"`
}

// mode is a way in which the program runs.
type mode struct {
	program string
	env     []string
	seen    map[string][]result
}

type result struct{ ns, allocs float64 }

// RecordZeroCode measures until the budget is used up what calls cost in a program that is
// instrumented. build builds the program in the folder src. o.Sockets is not used.
func RecordZeroCode(ctx context.Context, o Options, build func(src, to string, instrumented bool) error) (*ZeroCode, error) {
	src := filepath.Join(o.Dir, "src")
	if err := os.Mkdir(src, 0o777); err != nil {
		return nil, err
	}
	for name, text := range map[string][]byte{"go.mod": []byte("module zerocode\n\ngo 1.24\n"), "main.go": zeroCodeProgram} {
		if err := os.WriteFile(filepath.Join(src, name), text, 0o666); err != nil {
			return nil, err
		}
	}
	recorded := filepath.Join(o.Dir, "raw")
	plain, made := filepath.Join(o.Dir, "plain"), filepath.Join(o.Dir, "instrumented")
	if err := build(src, plain, false); err != nil {
		return nil, err
	}
	if err := build(src, made, true); err != nil {
		return nil, err
	}
	modes := []*mode{
		{program: plain}, {program: made, env: []string{raw.ControlVariable + "=0"}}, {program: made, env: []string{raw.FolderVariable + "=" + recorded}},
	}
	start, rounds := time.Now(), 0
	var order []string
	for {
		began := time.Now()
		for _, m := range modes {
			names, err := m.run(ctx, recorded)
			if err != nil {
				return nil, err
			}
			order = names
			o.Progress(min(int64(time.Since(start)), int64(o.Budget)-1), int64(o.Budget))
		}
		if rounds++; rounds >= minRounds && time.Since(start)+time.Since(began) > o.Budget {
			break
		}
	}
	t := &ZeroCode{System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0), Go: runtime.Version(), Rounds: rounds}
	for _, name := range order {
		median := func(m *mode, of func(result) float64) float64 {
			list := make([]float64, 0, rounds)
			for _, r := range m.seen[name] {
				list = append(list, of(r))
			}
			slices.Sort(list)
			return list[len(list)/2]
		}
		ns, allocs := func(r result) float64 { return r.ns }, func(r result) float64 { return r.allocs }
		t.Rows = append(t.Rows, ZeroCodeRow{
			name, median(modes[0], ns), median(modes[1], ns), median(modes[2], ns), median(modes[2], allocs) - median(modes[0], allocs),
		})
	}
	return t, nil
}

// perCase is about how long the program measures a case, in ms: what it writes must fit the disk.
const perCase = "60"

// run runs the program once, and returns the names of its cases in order.
func (m *mode) run(ctx context.Context, recorded string) (order []string, err error) {
	if err := os.Mkdir(recorded, 0o777); err != nil {
		return nil, err
	}
	defer os.RemoveAll(recorded)
	c := exec.CommandContext(ctx, m.program, perCase)
	c.Env = append(os.Environ(), m.env...)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil || said.Len() > 0 {
		return nil, fmt.Errorf("measuring: %w: %s", err, said.String())
	}
	if m.seen == nil {
		m.seen = map[string][]result{}
	}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		f := strings.Split(lines.Text(), "\t")
		if len(f) != 3 {
			return nil, fmt.Errorf("measuring: the program said %q", lines.Text())
		}
		var r result
		if r.ns, err = strconv.ParseFloat(f[1], 64); err == nil {
			r.allocs, err = strconv.ParseFloat(f[2], 64)
		}
		if err != nil {
			return nil, err
		}
		m.seen[f[0]] = append(m.seen[f[0]], r)
		order = append(order, f[0])
	}
	return order, nil
}
