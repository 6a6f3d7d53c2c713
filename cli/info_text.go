package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"tracex/format"
	"tracex/lazy/query/display"
)

// facts are the output of info, a field for each property of the JSON object. Programs
// rely on the names in JSON: never change one. docs/json.md documents them.
type facts struct {
	File    string `json:"file"`
	Version int    `json:"version"` // of the format
	Release string `json:"release"` // of Lincheck that writes that version
	Data    int64  `json:"data_bytes"`
	Index   int64  `json:"index_bytes"`
	// IndexFrom tells where the index comes from: recorded, or rebuilt because there was no
	// usable one; IndexProblem tells why.
	IndexFrom    string `json:"index"`
	IndexProblem string `json:"index_problem,omitempty"`
	// Times, Begun and Length are for traces with times: the size of the file of times, the
	// wall clock at the beginning of the recording, as RFC 3339 in UTC, and its length.
	Times        int64  `json:"times_bytes,omitempty"`
	Begun        string `json:"recording_begun,omitempty"`
	Length       *int64 `json:"recording_ns,omitempty"`
	TimesProblem string `json:"times_problem,omitempty"` // why existing times are not used
	TimesMissing string `json:"-"`                       // see query.WithoutTimes
	// Summary is the size of a summary that fits; SummaryProblem tells why one is not used.
	Summary        int64         `json:"summary_bytes,omitempty"`
	SummaryProblem string        `json:"summary_problem,omitempty"`
	Problem        string        `json:"problem,omitempty"` // what is missing in the data
	Sample         string        `json:"sample,omitempty"`  // if only some call trees were recorded: how many, and what counts stand for
	Gaps           []string      `json:"gaps,omitempty"`    // what is missing between the first calls and the newest, of each process
	Unfinished     int           `json:"unfinished"`        // containers without their end
	Blocks         int64         `json:"blocks"`
	Events         int64         `json:"events"`
	Calls          int64         `json:"calls"`
	Depth          int           `json:"depth"`
	Threads        []threadFacts `json:"threads"` // empty: see threadRows
	// Processes are those of instrumented Go programs, each followed by those that it started.
	Processes []processFacts `json:"processes,omitempty"`
	Classes   []count        `json:"events_by_class"`
	Kinds     []count        `json:"objects_by_kind"`
	Run       *runFacts      `json:"run,omitempty"`
	Left      *runFacts      `json:"left,omitempty"`
	Right     *runFacts      `json:"right,omitempty"`

	limit int // of threads and processes, for a person; 0 for all
}

type threadFacts struct {
	Number     int64  `json:"number"` // as print shows it: the id + 1
	Name       string `json:"name"`
	Bytes      int64  `json:"bytes"`
	Events     int64  `json:"events"`
	Calls      int64  `json:"calls"`
	Depth      int    `json:"depth"`
	Unfinished int    `json:"unfinished"`
	// Goroutine, Program, Parent and StartedAt are what the name tells of a goroutine: see package
	// goroutines. ParentThread is the number of the parent's thread, if that is in the trace.
	Goroutine    int64  `json:"goroutine,omitempty"`
	Program      string `json:"program,omitempty"`
	Parent       int64  `json:"parent,omitempty"`
	ParentThread int64  `json:"parent_thread,omitempty"`
	StartedAt    string `json:"started_at,omitempty"`
	Threw        string `json:"threw,omitempty"` // what ended the goroutine, if it did not return
}

type count struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// runFacts are the facts of a packed trace about the recorded run.
type runFacts struct {
	Class      string `json:"class"`
	Method     string `json:"method"`
	Start      string `json:"start"` // RFC 3339, UTC
	End        string `json:"end"`
	JVMArgs    string `json:"jvm_arguments"`
	AgentArgs  string `json:"agent_arguments"`
	Events     *int64 `json:"recorded_events,omitempty"` // as counted by the recorder; nil if unknown
	Properties []pair `json:"properties"`
	// Environment has values only with --env.
	Environment []pair `json:"environment"`
}

type pair struct {
	Name  string  `json:"name"`
	Value *string `json:"value,omitempty"`
}

// write writes the facts for a person.
func (t *facts) write(w io.Writer, threads threadRows) error {
	buffered := bufio.NewWriterSize(w, 64<<10) // a tabwriter writes each cell on its own
	out := &text{tabwriter.NewWriter(buffered, 0, 8, columnGap, ' ', 0)}
	out.line("file", t.File)
	out.line("format", t.formatText())
	out.line("data", exactSize(t.Data))
	out.line("index", t.indexText())
	if t.Sample != "" {
		out.line("sampled", t.Sample)
	}
	for _, gap := range t.Gaps {
		n, rest, _ := strings.Cut(gap, " ")
		calls, _ := strconv.ParseInt(n, 10, 64) // 0 in a trace of others
		out.line("missing", display.Grouped(calls)+" "+rest+", between the first calls and the newest: the rows <dropped: …> are there")
	}
	switch {
	case t.TimesProblem != "":
		out.line("times", "not usable: "+t.TimesProblem)
	case t.Times > 0:
		out.line("times", exactSize(t.Times))
	case t.TimesMissing != "":
		out.line("times", strings.TrimPrefix(t.TimesMissing, "no times: "))
	}
	switch {
	case t.SummaryProblem != "":
		out.line("summary", "not used: "+t.SummaryProblem)
	case t.Summary > 0:
		out.line("summary", exactSize(t.Summary))
	}
	switch {
	case t.Length == nil:
	case t.Begun == "":
		out.line("recorded", fmt.Sprintf("for %v; when is not known", time.Duration(*t.Length)))
	default:
		out.line("recorded", fmt.Sprintf("at %s, for %v", t.Begun, time.Duration(*t.Length)))
	}
	out.line("blocks", display.Grouped(t.Blocks))
	out.line("events", fmt.Sprintf("%s, including %s; at most %s deep",
		display.Grouped(t.Events), counted(t.Calls, "call"), counted(int64(t.Depth), "level")))
	if t.Unfinished > 0 {
		out.line("unfinished", counted(int64(t.Unfinished), "call, loop or iteration", "calls, loops and iterations")+" had not ended")
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := writeProcesses(buffered, t.Processes, t.limit); err != nil {
		return err
	}
	threads.write(buffered)
	out.counts("events", t.Classes)
	out.counts("objects", t.Kinds)
	out.run("recorded from", t.Run)
	out.run("left side of the diff", t.Left)
	out.run("right side of the diff", t.Right)
	return errors.Join(out.Flush(), buffered.Flush())
}

func (t *facts) formatText() string {
	text := fmt.Sprintf("version %d, which %s writes", t.Version, t.Release)
	if format.Version(t.Version) == format.V19 {
		text += "; support for this version is untested"
	}
	return text
}

func (t *facts) indexText() string {
	switch {
	case t.IndexProblem != "":
		return "not usable: " + t.IndexProblem
	case t.Index == 0:
		return "none"
	}
	return exactSize(t.Index)
}

// columnGap is how many spaces there are between columns.
const columnGap = 2

// text writes lines of a name and a value, in columns.
type text struct{ *tabwriter.Writer }

func (t *text) line(name, value string) {
	fmt.Fprintf(t, "%s\t%s\n", printable(name), printable(value))
}

// head begins a table.
func (t *text) head(title string) { fmt.Fprintf(t, "\n%s\n", title) }

func (t *text) counts(title string, counts []count) {
	t.head(title)
	for _, c := range counts {
		t.line("  "+c.Name, display.Grouped(c.Count))
	}
}

func (t *text) run(title string, r *runFacts) {
	if r == nil {
		return
	}
	t.head(title)
	for _, l := range []struct{ name, value string }{
		{"class", r.Class}, {"method", r.Method}, {"start", r.Start}, {"end", r.End},
		{"JVM arguments", r.JVMArgs}, {"agent arguments", r.AgentArgs},
	} {
		if l.value != "" {
			t.line("  "+l.name, l.value)
		}
	}
	if r.Events != nil {
		t.line("  recorded events", display.Grouped(*r.Events))
	}
	for _, p := range r.Properties {
		t.line("  "+p.Name, *p.Value)
	}
	var names []string
	for _, p := range r.Environment {
		if p.Value != nil {
			t.line("  $"+p.Name, *p.Value)
		} else {
			names = append(names, p.Name)
		}
	}
	if len(names) > 0 {
		t.line("  environment", strings.Join(names, ", ")+" (--env shows the values)")
	}
}
