package interop_test

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The versions of the peers.
const (
	xgoVersion         = "v1.2.7"
	orchestrionVersion = "v1.15.0"
	otelVersion        = "v1.46.0"
	ddTraceVersion     = "v2.12.0" // as orchestrion's go.mod has it
)

var (
	//go:embed testdata/peers/main.go.txt
	peersMain string
	//go:embed testdata/peers/xgo.go.txt
	peersXgo string
	//go:embed testdata/peers/otel.go.txt
	peersOtel string
	//go:embed testdata/peers/otel.yml
	peersAspects string
)

// peersVariable tells the program which of its peer's abilities it uses.
const peersVariable = "PEERS"

// peer is a build of the program, and the ways in which it runs.
type peer struct {
	name  string
	build func(w *workshop) (program string, err error)
	ways  []*peerWay
}

// peerWay is a way in which a peer's program runs.
type peerWay struct {
	name string
	env  []string
	// begin prepares a run, unless it is nil. end returns how many of the run's calls were kept.
	begin   func(w *workshop, first bool) (env []string, end func() (kept float64, err error), err error)
	program string
	seen    map[string][]peerCall // of each case
	made    float64               // calls in the first run, of all cases
	kept    float64               // calls kept in the first run
}

// peerCall is what a call of the program took.
type peerCall struct{ ns, allocs float64 }

// peers are the builds in the order of their turns. They do not keep the same:
//   - tracex writes arguments, results and times of each call to a file.
//   - xgo's trap hands arguments and results to interceptors; an empty one keeps nothing. xgo's trace keeps
//     them, with times, as a tree in memory. The JSON that it makes of the tree at the end is not measured.
//   - orchestrion weaves what a file of aspects says. A span of OpenTelemetry's SDK has times, and values if the
//     aspect makes attributes of them. There is no exporter: each span is dropped when it ends.
//   - orchestrion's default is dd-trace-go, which makes a span of each call of a function with //dd:span: times
//     without values. Each span is a trace of its own here, and is sent to an agent.
var peers = []peer{
	{"plain", func(w *workshop) (string, error) {
		return w.build("plain", peersMod, nil, "go", "build")
	}, []*peerWay{{name: "plain"}}},
	{"tracex", func(w *workshop) (string, error) {
		return w.build("tracex", peersMod, nil, program(w.b), "build")
	}, []*peerWay{{name: "tracex-off"}, {name: "tracex-recording", begin: (*workshop).raw}}},
	{"xgo", buildXgo, []*peerWay{
		{name: "xgo"},
		{name: "xgo-interceptor", env: []string{peersVariable + "=interceptor"}},
		{name: "xgo-trace", env: []string{peersVariable + "=trace"}},
	}},
	{"orchestrion with OpenTelemetry", buildOtel, []*peerWay{
		{name: "orchestrion-otel"},
		{name: "orchestrion-otel-values", env: []string{peersVariable + "=values"}},
	}},
	{"orchestrion with dd-trace-go", buildDatadog, []*peerWay{{name: "orchestrion-datadog", begin: (*workshop).agent}}},
}

const peersMod = "module peers\n\ngo 1.24\n"

// perPeerCase is about how long a case is measured in a run, in ms.
const perPeerCase = "100"

// BenchmarkPeers measures a call in a program that tracex has instrumented, and others have: medians of turns.
// A peer that cannot be had, or does not build with this release of Go, is left out, and standard error says why.
func BenchmarkPeers(b *testing.B) {
	needed(b)
	w := newWorkshop(b)
	var all []*peerWay
	for _, p := range peers {
		made, err := p.build(w)
		if err != nil {
			if p.name == "plain" || p.name == "tracex" {
				b.Fatal(err)
			}
			fmt.Fprintf(os.Stderr, "%s is left out: %v\n", p.name, err) // a benchmark with others in it has no log
			continue
		}
		for _, way := range p.ways {
			way.program, way.seen = made, map[string][]peerCall{}
			all = append(all, way)
		}
	}
	const rounds = 21
	var order []string
	for round := range rounds + 1 { // the first one warms up
		for _, way := range all {
			names, err := way.run(w, round == 0)
			if err != nil {
				b.Fatalf("%s: %v", way.name, err)
			}
			order = names
		}
	}
	for _, name := range order {
		for _, way := range all {
			b.Run(strings.ReplaceAll(name, " ", "-")+"/"+way.name, func(b *testing.B) {
				for b.Loop() {
				}
				b.ReportMetric(median(way.seen[name], func(c peerCall) float64 { return c.ns }), "ns/op")
				b.ReportMetric(median(way.seen[name], func(c peerCall) float64 { return c.allocs }), "allocs/call")
				if way.begin != nil {
					b.ReportMetric(100*way.kept/way.made, "%-kept")
				}
			})
		}
	}
}

// run runs the program once and returns the names of its cases in order.
func (way *peerWay) run(w *workshop, first bool) (order []string, err error) {
	c := exec.Command(way.program, perPeerCase)
	c.Env = append(w.env, way.env...)
	end := func() (float64, error) { return 0, nil }
	if way.begin != nil {
		env, last, err := way.begin(w, first)
		if err != nil {
			return nil, err
		}
		c.Env, end = append(c.Env, env...), last
	}
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	kept, failed := end()
	if err = cmp.Or(err, failed); err != nil {
		return nil, fmt.Errorf("%w: %s", err, said.String())
	}
	made := 0.0
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 4 {
			return nil, fmt.Errorf("the program said %q", line)
		}
		var v [3]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(f[i+1], 64); err != nil {
				return nil, err
			}
		}
		order, made = append(order, f[0]), made+v[2]
		if !first {
			way.seen[f[0]] = append(way.seen[f[0]], peerCall{v[0], v[1]})
		}
	}
	if first {
		way.made, way.kept = made, kept
	}
	return order, nil
}

// workshop is the folder in which peers are built and run. It takes the place of the user's folders.
type workshop struct {
	b   *testing.B
	dir string
	env []string
}

func newWorkshop(b *testing.B) *workshop {
	b.Helper()
	w := &workshop{b: b, dir: b.TempDir(), env: os.Environ()}
	out, err := exec.Command("go", "env", "GOENV", "GOMODCACHE", "GOCACHE").Output()
	if err != nil {
		b.Fatal(err)
	}
	is := strings.Split(string(out), "\n")
	for _, name := range []string{"home", "tmp", "run"} {
		if err := os.Mkdir(filepath.Join(w.dir, name), 0o700); err != nil {
			b.Fatal(err)
		}
	}
	w.env = append(w.env, "GOENV="+is[0], "GOMODCACHE="+is[1], "GOCACHE="+is[2], "GOFLAGS=", "GOWORK=off", "GOBIN="+filepath.Join(w.dir, "bin"),
		"HOME="+filepath.Join(w.dir, "home"), "TMPDIR="+filepath.Join(w.dir, "tmp"), "XDG_RUNTIME_DIR="+filepath.Join(w.dir, "run"))
	return w
}

// command runs a command in a directory.
func (w *workshop) command(dir string, command ...string) error {
	c := exec.Command(command[0], command[1:]...)
	c.Dir, c.Env = dir, w.env
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, out)
	}
	return nil
}

// source writes the program with other files beside it.
func (w *workshop) source(name, mod string, files map[string]string) (dir string, err error) {
	dir = filepath.Join(w.dir, name)
	err = os.Mkdir(dir, 0o777)
	write := func(name, text string) {
		err = cmp.Or(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("go.mod", mod)
	write("main.go", peersMain)
	for name, text := range files {
		write(name, text)
	}
	return dir, err
}

// build writes the program and builds it by a command that gets the flag -o.
func (w *workshop) build(name, mod string, files map[string]string, command ...string) (program string, err error) {
	dir, err := w.source(name, mod, files)
	if err != nil {
		return "", err
	}
	if files["orchestrion.tool.go"] != "" {
		if err := w.command(dir, "go", "mod", "tidy"); err != nil {
			return "", err
		}
	}
	program = filepath.Join(w.dir, name+".program")
	return program, w.command(dir, append(command, "-o", program, ".")...)
}

// raw makes the program record into a folder, which end removes. After the first run end counts the calls in
// its trace.
func (w *workshop) raw(first bool) (env []string, end func() (float64, error), err error) {
	folder := filepath.Join(w.dir, "raw")
	if err := os.Mkdir(folder, 0o777); err != nil {
		return nil, nil, err
	}
	return []string{"TRACEX_RECORD=" + folder}, func() (kept float64, err error) {
		if first {
			_, said := run(w.b, w.dir, program(w.b), "convert", "-o", filepath.Join(folder, "trace.bin"), folder)
			m := callsTold.FindSubmatch(said)
			if m == nil {
				err = fmt.Errorf("nothing was recorded: %s", said)
			} else {
				kept, err = strconv.ParseFloat(strings.ReplaceAll(string(m[1]), ",", ""), 64)
			}
		}
		return kept, errors.Join(err, os.RemoveAll(folder))
	}, nil
}
