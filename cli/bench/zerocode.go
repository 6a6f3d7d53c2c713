package bench

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tracex/format/tracefile"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
)

//go:embed zerocode/main.go.txt
var zeroCodeProgram []byte

// ZeroCode is the result of [RecordZeroCode]. Programs rely on the names in JSON: never change
// one.
type ZeroCode struct {
	Run
	Rows []ZeroCodeRow `json:"zero_code"`
	// Raw is how many bytes the program writes for a call, and Convert how many ns the conversion of these
	// takes, without writing the trace: over all calls.
	Raw     float64 `json:"raw_bytes_per_call"`
	Convert float64 `json:"ns_conversion"`
}

// ZeroCodeRow is a call in a program that is as it is, instrumented without recording, and
// recording: medians of ns a call over all goroutines, and of allocations.
type ZeroCodeRow struct {
	Call   string  `json:"call"`
	Plain  float64 `json:"ns_plain"`
	Off    float64 `json:"ns_not_recording"`
	On     float64 `json:"ns_recording"`
	Allocs float64 `json:"allocs_added"`
	ByHand float64 `json:"ns_by_hand,omitempty"` // of package recorder: Enter and Exit, streaming
}

// mode is a way in which the program runs.
type mode struct {
	program string
	env     []string
	seen    map[string][]result
}

type result struct{ ns, allocs float64 }

// conversion is one of what the program recorded.
type conversion struct{ bytes, ns float64 } // of a call

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
	hand := byHand()
	var conversions []conversion
	start, rounds := time.Now(), 0
	var order []string
	for {
		began := time.Now()
		for _, m := range modes {
			names, err := m.run(ctx, recorded, func() error {
				if m != modes[len(modes)-1] {
					return nil
				}
				one, err := convertedIn(ctx, recorded)
				conversions = append(conversions, one)
				return err
			})
			if err != nil {
				return nil, err
			}
			order = names
			o.Progress(min(int64(time.Since(start)), int64(o.Budget)-1), int64(o.Budget))
		}
		for _, c := range hand {
			r, err := c.measure(ctx, o.Dir, nil)
			if err != nil {
				return nil, fmt.Errorf("measuring %s: %w", c.name(), err)
			}
			c.rounds = append(c.rounds, r)
		}
		if rounds++; rounds >= minRounds && time.Since(start)+time.Since(began) > o.Budget {
			break
		}
	}
	t := &ZeroCode{Run: newRun(rounds)}
	t.Raw = medianOf(conversions, func(c conversion) float64 { return c.bytes })
	t.Convert = medianOf(conversions, func(c conversion) float64 { return c.ns })
	for _, name := range order {
		median := func(m *mode, of func(result) float64) float64 { return medianOf(m.seen[name], of) }
		ns, allocs := func(r result) float64 { return r.ns }, func(r result) float64 { return r.allocs }
		row := ZeroCodeRow{
			Call: name, Plain: median(modes[0], ns), Off: median(modes[1], ns), On: median(modes[2], ns), Allocs: median(modes[2], allocs) - median(modes[0], allocs),
		}
		for _, c := range hand {
			if c.call.name == name {
				row.ByHand = medianOf(c.rounds, func(r round) float64 { return r.perCall() })
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// byHand are the cases of package recorder that the program has, too, as a program uses it by default.
func byHand() (list []*testCase) {
	const most = 1_000_000 // about as long as a case of the program
	for i := range calls {
		if calls[i].as == "" {
			list = append(list, &testCase{call: &calls[i], strategy: &strategies[0], goroutines: 1, calls: most})
		}
	}
	return list
}

// convertedIn converts what is in a folder, and writes nothing.
func convertedIn(ctx context.Context, folder string) (one conversion, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*"+raw.Suffix))
	if err != nil {
		return one, err
	}
	c, err := instrumented.New(tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}, instrumented.Options{})
	if err != nil {
		return one, err
	}
	began := time.Now()
	for _, path := range paths {
		c.Add(path)
		c.Ended(path)
	}
	s, err := c.Finish(ctx)
	if err != nil {
		return one, err
	}
	n := float64(max(s.Calls, 1))
	return conversion{float64(s.Read) / n, float64(time.Since(began)) / n}, nil
}

// perCase is about how long the program measures a case, in ms: what it writes must fit the disk.
const perCase = "60"

// run runs the program once, calls after while its recording is there, and returns the names of its cases
// in order.
func (m *mode) run(ctx context.Context, recorded string, after func() error) (order []string, err error) {
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
	return order, after()
}
