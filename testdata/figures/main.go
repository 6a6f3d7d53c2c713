// Figures runs the benchmarks and writes what they measured as a page:
//
//	go run ./testdata/figures > docs/figures.md
//
// It needs Go alone. With -interop it runs those beside Lincheck's readers,
// Perfetto's libraries and other instrumentation of Go programs, too, which need
// Java, Maven, cargo, a C++ compiler and the Go module proxy; without, their
// tables are left out. Nothing else should run on the machine.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	interop := flag.Bool("interop", false, "measure beside Lincheck's readers, Perfetto's libraries and other instrumentation of Go programs, too")
	only := flag.String("only", "", "a regular expression for the titles of the tables that are wanted")
	flag.Parse()
	wanted, err := regexp.Compile(*only)
	if err == nil {
		err = page(os.Stdout, *interop, wanted)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

// page measures and writes all tables.
func page(w io.Writer, interop bool, wanted *regexp.Regexp) error {
	commit, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "# Figures\n\nMeasured by `%s` on %s, with the build of commit %s, on one machine in one run:\n%s, %d cores, %s, %s. "+
		"The files were in the page cache. Each figure is the\nmedian of several runs, where the table does not say otherwise; the command above each table makes it.\n",
		strings.Join(append([]string{"go run ./testdata/figures"}, os.Args[1:]...), " "), time.Now().UTC().Format(time.DateOnly), bytes.TrimSpace(commit), processor(), runtime.NumCPU(), memory(), runtime.Version())
	for _, t := range tables {
		if t.interop && !interop || !wanted.MatchString(t.title) {
			continue
		}
		fmt.Fprintln(os.Stderr, t.title)
		results, err := t.measure()
		if err != nil {
			return fmt.Errorf("%s: %w", t.title, err)
		}
		if err := t.write(w, results); err != nil {
			return fmt.Errorf("%s: %w", t.title, err)
		}
	}
	return nil
}

// processor is the model of the processor, as far as the system says.
func processor() string {
	b, _ := os.ReadFile("/proc/cpuinfo")
	if m := regexp.MustCompile(`(?m)^model name\s*: (.*)$`).FindSubmatch(b); m != nil {
		return string(m[1])
	}
	return runtime.GOARCH
}

// memory is how much memory the machine has, as far as the system says.
func memory() string {
	b, _ := os.ReadFile("/proc/meminfo")
	if m := regexp.MustCompile(`MemTotal:\s*(\d+) kB`).FindSubmatch(b); m != nil {
		kib, _ := strconv.Atoi(string(m[1]))
		return fmt.Sprintf("%d GiB of memory", (kib+1<<19)>>20)
	}
	return runtime.GOOS
}

// measured has the values of each metric of each benchmark, one for each run:
// measured["BenchmarkOpen/calls=1000000"]["ns/op"].
type measured map[string]map[string][]float64

// measure runs the command of a table.
func (t *table) measure() (measured, error) {
	args := t.arguments()
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), t.env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	results := make(measured)
	suffix := regexp.MustCompile(`-\d+$`) // the number of processors
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		if strings.Contains(s.Text(), " is left out: ") {
			fmt.Fprintln(os.Stderr, s.Text())
		}
		fields := strings.Fields(s.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := suffix.ReplaceAllString(fields[0], "")
		if results[name] == nil {
			results[name] = make(map[string][]float64)
		}
		for i := 2; i+1 < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", s.Text(), err)
			}
			results[name][fields[i+1]] = append(results[name][fields[i+1]], v)
		}
	}
	return results, nil
}

// write writes a table with what was measured.
func (t *table) write(w io.Writer, results measured) error {
	fmt.Fprintf(w, "\n## %s\n\n%s\n\n```sh\n%s\n```\n\n| |", t.title, t.text, t.command())
	for _, c := range t.columns {
		fmt.Fprintf(w, " %s |", c.head)
	}
	fmt.Fprint(w, "\n| --- |", strings.Repeat(" --- |", len(t.columns)), "\n")
	for _, r := range t.rows {
		if t.optional && !r.measured(t.columns, results) {
			continue
		}
		fmt.Fprintf(w, "| %s |", r.head)
		for _, c := range t.columns {
			name := r.name(c)
			values := results[name][r.metric]
			if len(values) == 0 {
				return fmt.Errorf("no %s of %s was measured", r.metric, name)
			}
			slices.Sort(values)
			fmt.Fprintf(w, " %s |", r.show(values[len(values)/2]))
		}
		fmt.Fprintln(w)
	}
	return nil
}

// name is the benchmark of a row in a column.
func (r *row) name(c column) string { return strings.ReplaceAll(r.bench, "*", c.part) }

// measured reports whether anything of a row was measured.
func (r *row) measured(columns []column, results measured) bool {
	return slices.ContainsFunc(columns, func(c column) bool { return len(results[r.name(c)][r.metric]) > 0 })
}
