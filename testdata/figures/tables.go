package main

import (
	"fmt"
	"slices"
	"strings"
)

// table is a table of the page and the command that measures it.
type table struct {
	title, text string
	interop     bool // needs Java, Maven, cargo, a C++ compiler or the Go module proxy
	optional    bool // rows that were not measured are left out
	env         []string
	packages    string
	bench       string // a regular expression
	flags       []string
	columns     []column
	rows        []row
}

type column struct {
	head, part string // part takes the place of * in the name of a row's benchmark
}

type row struct {
	head, bench, metric string
	show                func(float64) string
}

func (t *table) arguments() []string {
	return append(append([]string{"test", "-run", "^$", "-bench", t.bench, "-timeout", "60m"}, t.flags...), strings.Fields(t.packages)...)
}

// command is what a shell runs for the table.
func (t *table) command() string {
	words := append([]string{}, t.env...)
	words = append(words, "go")
	for _, a := range t.arguments() {
		if strings.ContainsAny(a, "^$|()*") {
			a = "'" + a + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// duration shows nanoseconds with two or three digits.
func duration(ns float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= u.size {
			return digits(ns/u.size) + " " + u.name
		}
	}
	return digits(ns) + " ns"
}

func digits(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// unit shows a number before a unit.
func unit(name string) func(float64) string {
	return func(v float64) string { return digits(v) + " " + name }
}

// a million calls and twenty millions of them
var sizes = []column{{"1 M calls", "1000000"}, {"20 M calls", "20000000"}}

var goroutines = []column{{"1 goroutine", "goroutines=1"}, {"2", "goroutines=2"}, {"16", "goroutines=16"}}

var tables = []table{
	{
		title: "Reading",
		text: "Generated traces of version 22: 1 M calls are 99 MB of data and 25 MB of index, 20 M calls 2.0 GB and 0.5 GB. *Open* lasts\n" +
			"until everything is known; the first rows are there long before.",
		env: []string{"GOGC=100", "TRACEX_BENCH_CALLS=20000000"}, packages: "./lazy", bench: "^Benchmark(Open|FirstRows|Pass|Scan|Rebuild|Print|Walk)$",
		flags: []string{"-count", "3"}, columns: sizes,
		rows: []row{
			{"open and read the first rows", "BenchmarkFirstRows/calls=*", "ns/op", duration},
			{"open, everything known", "BenchmarkOpen/calls=*", "ns/op", duration},
			{"the pass over the index", "BenchmarkPass/calls=*", "MB/s", unit("MB/s")},
			{"scan of the data, without an index", "BenchmarkScan/calls=*", "MB/s", unit("MB/s")},
			{"index made again and stored", "BenchmarkRebuild/calls=*", "MB/s", unit("MB/s")},
			{"print, raw", "BenchmarkPrint/calls=*/raw", "MB/s", unit("MB/s of text")},
			{"print, folded", "BenchmarkPrint/calls=*/folded", "MB/s", unit("MB/s of text")},
			{"walk all rows, expanding and forgetting every call: a row", "BenchmarkWalk/calls=*", "ns/row", duration},
			{"most memory during that walk, without mapped files", "BenchmarkWalk/calls=*", "peak-MiB", unit("MiB")},
		},
	},
	{
		title: "Searching",
		text: "Through all of a generated trace of 1 M calls with short values, 99 MB of data, without a summary. What can only be in a text\n" +
			"that was recorded is looked for in the bytes; with nothing to look for, the text of every row is made.",
		packages: "./lazy/query/pattern", bench: "^BenchmarkSearch$", flags: []string{"-count", "3"}, columns: []column{{"folded", "true"}, {"raw", "false"}},
		rows: []row{
			{"a text that is nowhere", "BenchmarkSearch/calls=1000000/nowhere/folded=*", "MB/s", unit("MB/s")},
			{"a rare name", "BenchmarkSearch/calls=1000000/rare-name/folded=*", "MB/s", unit("MB/s")},
			{"a frequent name, with all hits", "BenchmarkSearch/calls=1000000/frequent-name/folded=*", "MB/s", unit("MB/s")},
			{"a number", "BenchmarkSearch/calls=1000000/number/folded=*", "MB/s", unit("MB/s")},
			{"an expression of names", "BenchmarkSearch/calls=1000000/expression-of-names/folded=*", "MB/s", unit("MB/s")},
			{"an expression of digits", "BenchmarkSearch/calls=1000000/expression-of-numbers/folded=*", "MB/s", unit("MB/s")},
			{"every text", "BenchmarkSearch/calls=1000000/every-text/folded=*", "MB/s", unit("MB/s")},
		},
	},
	{
		title:    "Start",
		text:     "From exec: until `tracex --version` has ended, and until the whole first frame of `tracex open` is on a terminal of 120 by\n40, which answers no query.",
		packages: "./cli", bench: "^BenchmarkStart$", flags: []string{"-benchtime", "200x", "-count", "3"},
		columns: []column{{"the version", "version"}, {"first frame, 1 M calls", "first-frame=1000000"}, {"20 M calls", "first-frame=20000000"}},
		rows:    []row{{"from exec", "BenchmarkStart/*", "ns/op", duration}},
	},
	{
		title:    "The screen",
		text:     "From the key to the finished frame, on the same traces.",
		packages: "./ui", bench: "^Benchmark(FirstFrame|Scroll|Expand)$", flags: []string{"-count", "3"},
		columns: []column{{"1 M calls", "1M-calls"}, {"20 M calls", "20M-calls"}},
		rows: []row{
			{"first frame, after the file is open", "BenchmarkFirstFrame/*", "ns/op", duration},
			{"scroll by a row", "BenchmarkScroll/*", "ns/op", duration},
			{"expand a call", "BenchmarkExpand/*", "ns/op", duration},
		},
	},
	{
		title:    "Many threads",
		text:     "From the key to the finished frame, with about four calls in each thread. Work in the background is not counted.",
		packages: "./ui", bench: "^BenchmarkThreads$/^(open|down|end|expand|next-thread|event|hit|list-scroll)$", flags: []string{"-benchtime", "20x", "-count", "3"},
		columns: []column{{"1,000 threads", "1k"}, {"100,000", "100k"}, {"1,000,000", "1M"}},
		rows: []row{
			{"open and draw the first screen", "BenchmarkThreads/open/*", "ns/op", duration},
			{"to the next row and back", "BenchmarkThreads/down/*", "ns/op", duration},
			{"to the last row and back", "BenchmarkThreads/end/*", "ns/op", duration},
			{"expand a thread and collapse it", "BenchmarkThreads/expand/*", "ns/op", duration},
			{"to the next thread and back", "BenchmarkThreads/next-thread/*", "ns/op", duration},
			{"to two events by their numbers", "BenchmarkThreads/event/*", "ns/op", duration},
			{"to the next hit of a search and back", "BenchmarkThreads/hit/*", "ns/op", duration},
			{"scroll in the list of threads, three keys", "BenchmarkThreads/list-scroll/*", "ns/op", duration},
		},
	},
	{
		title:    "Recording",
		text:     "A call with its end, streamed to a file, with times. Recording allocates nothing.",
		packages: "./recorder", bench: "^BenchmarkPair$/^stream$", flags: []string{"-count", "5"}, columns: goroutines,
		rows: []row{
			{"no arguments", "BenchmarkPair/stream/no_arguments/*", "ns/op", duration},
			{"two ints and a string", "BenchmarkPair/stream/two_ints_and_a_string/*", "ns/op", duration},
			{"`defer t.Call(…).End()`, two ints and a string", "BenchmarkPair/stream/one_line_two_ints_and_a_string/*", "ns/op", duration},
		},
	},
	{
		title:    "The size of a trace",
		text:     "What a call with its end takes on disk.",
		packages: "./recorder", bench: "^BenchmarkPair$/^stream$/^(no_arguments|two_ints_and_a_string)$/^goroutines=1$",
		columns: []column{{"no arguments", "no_arguments"}, {"two ints and a string", "two_ints_and_a_string"}},
		rows: []row{
			{"data", "BenchmarkPair/stream/*/goroutines=1", "B/op-data", unit("bytes")},
			{"index", "BenchmarkPair/stream/*/goroutines=1", "B/op-index", unit("bytes")},
			{"times", "BenchmarkPair/stream/*/goroutines=1", "B/op-times", unit("bytes")},
		},
	},
	{
		title: "Recording a Go program as it is",
		text: "A call in a program that go build made, in one of tracex build that does not record, and in one that does, all values\n" +
			"included. Medians of turns. Package runtime/trace is another kind of recording, without values.",
		packages: "./recorder/instrument/recordtest", bench: "^BenchmarkZeroCode$",
		columns: []column{{"plain", "plain"}, {"not recording", "off"}, {"recording", "recording"}},
		rows: []row{
			{"no arguments", "BenchmarkZeroCode/no-arguments/*", "ns/op", duration},
			{"two ints and a string, to int", "BenchmarkZeroCode/two-ints-and-a-string/*", "ns/op", duration},
			{"a method with an int, to (int, error)", "BenchmarkZeroCode/a-method,-to-(int,-error)/*", "ns/op", duration},
			{"… that fails", "BenchmarkZeroCode/a-method-that-fails/*", "ns/op", duration},
			{"a struct of 5 words", "BenchmarkZeroCode/a-struct-of-5-words/*", "ns/op", duration},
			{"a panic and its recovery", "BenchmarkZeroCode/a-panic-and-its-recovery/*", "ns/op", duration},
			{"no call, but a region of runtime/trace", "BenchmarkZeroCode/a-region-of-runtime/trace/*", "ns/op", duration},
		},
	},
	{
		title:    "Converting what Go programs recorded",
		text:     "A million calls with two ints and a string, on one core, without writing the trace.",
		packages: "./recorder/convert/instrumented", bench: "^BenchmarkScalars$", flags: []string{"-count", "5"},
		columns: []column{{"a call", ""}},
		rows: []row{
			{"two ints and a string", "BenchmarkScalars/version27", "ns/call", duration},
		},
	},
	{
		title:    "Imports",
		text:     "200 MB of a JSON trace, as VizTracer, PyTorch and others write it, into a trace with its index and its times.",
		env:      []string{"TRACEX_BENCH_CHROME=200"},
		packages: "./recorder/convert/chrome", bench: "^BenchmarkConvert$", flags: []string{"-benchtime", "1x", "-count", "3"},
		columns: []column{{"VizTracer", "viztracer"}, {"PyTorch", "pytorch"}, {"others", "plain"}},
		rows: []row{
			{"JSON, for each second of the processor's time", "BenchmarkConvert/*", "MB/cpu-s", unit("MB")},
			{"calls, a second", "BenchmarkConvert/*", "Mevents/s", unit("M")},
			{"most memory", "BenchmarkConvert/*", "MiB-peak", unit("MiB")},
		},
	},
	{
		title:    "Exports",
		text:     "A million calls of a generated trace.",
		packages: "./lazy/export", bench: "^BenchmarkTools$", flags: []string{"-benchtime", "1x", "-count", "3"},
		columns: []column{{"speedscope", "speedscope"}, {"folded stacks", "folded"}, {"pprof", "pprof"}, {"OTLP", "otlp"}},
		rows: []row{
			{"calls, a second", "BenchmarkTools/*", "Mcalls/s", unit("M")},
			{"a call", "BenchmarkTools/*", "bytes/call", unit("bytes")},
		},
	},
	{
		title: "Converting Perfetto's packets",
		text:  "600 MB of Perfetto's packets into a trace with its index and its times.",
		env:   []string{"TRACEX_BENCH_PFTRACE=600"}, packages: "./recorder/convert/perfetto", bench: "^BenchmarkConvert$", flags: []string{"-benchtime", "1x", "-count", "3"},
		columns: []column{{"600 MB", ""}},
		rows: []row{
			{"packets, for each second of the processor's time", "BenchmarkConvert/files", "MB/cpu-s", unit("MB")},
			{"most memory", "BenchmarkConvert/files", "MiB-peak", unit("MiB")},
		},
	},
	{
		title:    "Recording through shared memory",
		text:     "A call with its end, until a service in another process has it; nothing is lost.",
		packages: "./recorder/perfetto/producer", bench: "^BenchmarkEndToEnd$", flags: []string{"-count", "5"}, columns: goroutines,
		rows: []row{
			{"calls: the program's time for one", "BenchmarkEndToEnd/tracex.calls/*", "cpu-ns/pair", duration},
			{"calls: the service's time for an event", "BenchmarkEndToEnd/tracex.calls/*", "service-ns/event", duration},
			{"track events: the program's time for a pair", "BenchmarkEndToEnd/track_event/*", "cpu-ns/pair", duration},
			{"track events: the service's time for an event", "BenchmarkEndToEnd/track_event/*", "service-ns/event", duration},
		},
	},
	{
		title: "Beside Lincheck 3.7", interop: true,
		text: "Traces of version 27, each reader in a process of its own, in turns, the start of the JVM not counted. The texts are\n" +
			"compared byte for byte. Memory is that of no file. One run each.",
		env: []string{"TRACEX_INTEROP=1", "TRACEX_INTEROP_CALLS=1000000,10000000"}, packages: "./lazy/interop",
		bench: "^BenchmarkReference$/^(open|open-without-index|print-lazily)$", flags: []string{"-benchtime", "1x", "-count", "1"},
		columns: []column{{"1 M calls", "calls=1000000"}, {"10 M calls", "calls=10000000"}},
		rows: []row{
			{"open", "BenchmarkReference/open/version=27/*", "times-faster", times},
			{"… memory", "BenchmarkReference/open/version=27/*", "times-memory", part},
			{"open without an index", "BenchmarkReference/open-without-index/version=27/*", "times-faster", times},
			{"… memory", "BenchmarkReference/open-without-index/version=27/*", "times-memory", part},
			{"print, raw", "BenchmarkReference/print-lazily/raw/version=27/*", "times-faster", times},
			{"… memory", "BenchmarkReference/print-lazily/raw/version=27/*", "times-memory", part},
			{"print, folded", "BenchmarkReference/print-lazily/folded/version=27/*", "times-faster", times},
			{"… memory", "BenchmarkReference/print-lazily/folded/version=27/*", "times-memory", part},
		},
	},
	{
		title: "Beside Perfetto's libraries", interop: true,
		text: "Time of a thread for a pair of track events, with 32 MiB of shared memory, in turns: ours, the C library, the Rust crate.",
		env:  []string{"TRACEX_INTEROP=1"}, packages: "./recorder/perfetto/interop", bench: "^BenchmarkLibrary$", flags: []string{"-benchtime", "7x"},
		columns: []column{{"1 thread", "threads=1"}, {"2 threads", "threads=2"}},
		rows: slices.Concat(libraries("burst", "plain", "burst, no arguments"), libraries("burst", "args", "burst, two arguments"),
			libraries("flood", "plain", "flood, no arguments"), libraries("flood", "args", "flood, two arguments")),
	},
	{
		title: "Tests of other programs, recorded", interop: true,
		text: "The processor's time of `go test` as it is and recorded, in turns. *In all* includes the go command, whose share is\n" +
			"counted as it is without recording; tracex, which writes the trace at the same time, is not included. *Complete* is the time from\n" +
			"the end of the tests until the trace is complete: a test that calls functions all the time is ahead of it.",
		env: []string{"TRACEX_INTEROP=1"}, packages: "./recorder/instrument/interop", bench: "^BenchmarkPrograms$", flags: []string{"-benchtime", "1x"},
		columns: []column{{"btree", "btree"}, {"gojq", "gojq"}, {"bbolt", "bbolt"}, {"fzf", "fzf"}, {"yq", "yq"}, {"cobra", "cobra"}},
		rows: []row{
			{"calls", "BenchmarkPrograms/*/recorded", "calls", millions},
			{"tests as they are", "BenchmarkPrograms/*/plain", "tests-cpu-s", seconds},
			{"tests recorded", "BenchmarkPrograms/*/recorded", "tests-cpu-s", seconds},
			{"a call", "BenchmarkPrograms/*/recorded", "ns/call", duration},
			{"in all", "BenchmarkPrograms/*/recorded", "times-cpu", asMuch},
			{"… without getters (`--trivial=false`)", "BenchmarkPrograms/*/without-getters", "times-cpu", asMuch},
			{"complete", "BenchmarkPrograms/*/recorded", "rest-s", seconds},
		},
	},
	{
		title: "Building other programs to record them", interop: true,
		text: "Compiling all tests of a module and running none, with what they import in the build cache, in turns. *Again* is without a\nchange.",
		env:  []string{"TRACEX_INTEROP=1"}, packages: "./recorder/instrument/interop", bench: "^BenchmarkBuild$", flags: []string{"-benchtime", "1x"},
		columns: []column{{"btree", "btree"}, {"cobra", "cobra"}, {"gojq", "gojq"}, {"bbolt", "bbolt"}},
		rows: []row{
			{"as it is", "BenchmarkBuild/*", "plain-s", seconds},
			{"instrumented", "BenchmarkBuild/*", "instrumented-s", seconds},
			{"again, as it is", "BenchmarkBuild/*", "plain-again-s", seconds},
			{"again, instrumented", "BenchmarkBuild/*", "instrumented-again-s", seconds},
		},
	},
	{
		title: "The wrapper of a build's tools", interop: true,
		text: "What it adds to a run of a tool that it does nothing for.",
		env:  []string{"TRACEX_INTEROP=1"}, packages: "./recorder/instrument/interop", bench: "^BenchmarkWrapper$", flags: []string{"-benchtime", "200x", "-count", "3"},
		columns: []column{{"a run", ""}},
		rows:    []row{{"compile -V=full", "BenchmarkWrapper", "ns/tool", duration}},
	},
	{
		title: "Beside other instrumentation of Go programs", interop: true, optional: true,
		text: "A call in one goroutine, in turns, and its allocations where it has some. What is kept differs:\n\n" +
			"- tracex: arguments, results and times of each call, in a file.\n" +
			"- xgo 1.2.7, all functions trapped: nothing. An interceptor gets arguments and results; the one here is empty. xgo's trace keeps\n" +
			"  them, with times, in memory. The JSON made of them at the end is not counted.\n" +
			"- orchestrion 1.15 with OpenTelemetry's SDK 1.46: a span, which has times, and arguments and results where the aspect makes\n" +
			"  attributes of them. There is no exporter, so that a span is dropped when it ends.\n" +
			"- orchestrion with dd-trace-go 2.12, its default: a span with times, without values, which is sent to an agent. The tracer drops\n" +
			"  what it cannot send in time: the share that arrived is that of a run with both functions.",
		env: []string{"TRACEX_INTEROP=1"}, packages: "./recorder/instrument/interop", bench: "^BenchmarkPeers$",
		columns: []column{{"no arguments", "no-arguments"}, {"two ints and a string, to int", "two-ints-and-a-string"}},
		rows: slices.Concat([]row{
			{"plain", "BenchmarkPeers/*/plain", "ns/op", duration},
			{"tracex, not recording", "BenchmarkPeers/*/tracex-off", "ns/op", duration},
			{"tracex, recording", "BenchmarkPeers/*/tracex-recording", "ns/op", duration},
			{"… calls in the trace", "BenchmarkPeers/*/tracex-recording", "%-kept", unit("%")},
		}, peer("xgo, no interceptor", "xgo"), peer("xgo, an empty interceptor", "xgo-interceptor"), peer("xgo, a trace in memory", "xgo-trace"),
			peer("orchestrion, an OpenTelemetry span", "orchestrion-otel"), peer("orchestrion, an OpenTelemetry span with values", "orchestrion-otel-values"),
			peer("orchestrion, a span of dd-trace-go", "orchestrion-datadog"),
			[]row{{"… spans that the agent got", "BenchmarkPeers/*/orchestrion-datadog", "%-kept", unit("%")}}),
	},
}

// peer are the rows of a way in which others instrument Go programs.
func peer(head, part string) []row {
	return []row{{head, "BenchmarkPeers/*/" + part, "ns/op", duration}, {"… allocations", "BenchmarkPeers/*/" + part, "allocs/call", count}}
}

// seconds shows a duration that was measured in seconds.
func seconds(v float64) string { return duration(v * 1e9) }

func millions(v float64) string { return digits(v/1e6) + " M" }

// asMuch shows how many times as much something takes.
func asMuch(v float64) string { return digits(v) + " × as much" }

// count shows a number of things.
func count(v float64) string { return fmt.Sprintf("%.0f", v) }

// libraries are the rows of one load, one for each library.
func libraries(load, kind, head string) (rows []row) {
	for _, l := range []struct{ name, metric string }{{"tracex", "ours-ns"}, {"C library", "c-ns"}, {"Rust crate", "crate-ns"}} {
		rows = append(rows, row{head + ": " + l.name, "BenchmarkLibrary/" + load + "/" + kind + "/*", l.metric, duration})
	}
	return rows
}

// times shows how many times as fast tracex is.
func times(v float64) string { return digits(v) + " × as fast" }

// part shows how much of the other's memory tracex takes.
func part(v float64) string { return fmt.Sprintf("1/%.0f", v) }
