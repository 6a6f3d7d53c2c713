package export

import (
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"google.golang.org/protobuf/encoding/protowire"

	"tracex/lazy/query"
)

// pprofFormat writes a gzipped profile.proto of github.com/google/pprof, whose names its messages and fields
// have here: a sample for each stack, with the number of the calls at its end and their own time, or in a
// trace without times their own points. Labels are the name of the thread, and a value that the job names.
//
// Flat and cum of "go tool pprof -top" are self and total of "tracex top" where all times are known. A
// function is a method, with the name that top shows; a location is one of its lines: that of the call that is next in the
// stack, or the first known one of the function if it is the last. See foldedFormat for very deep stacks.
var pprofFormat = Format{
	Name: "pprof", Suffix: ".pb.gz", What: "profile of go tool pprof",
	make: func(j *Job, out *output) target { return newPprof(j, out, 0) },
}

// Numbers of fields. On the wire, do not change.
const (
	profileSampleType    = 1
	profileSample        = 2
	profileLocation      = 4
	profileFunction      = 5
	profileString        = 6
	profileTime          = 9
	profileDuration      = 10
	profileComment       = 13
	profileDefaultSample = 14

	valueTypeType = 1
	valueTypeUnit = 2

	sampleLocation = 1
	sampleValue    = 2
	sampleLabel    = 3

	labelKey    = 1
	labelString = 2
	labelNumber = 3

	locationID   = 1
	locationLine = 4

	lineFunction = 1
	lineLine     = 2

	functionID         = 1
	functionName       = 2
	functionSystemName = 3
	functionFile       = 4
	functionStart      = 5
)

// pprof is the target of a profile. Samples, and the texts that they use, are written as soon as the stacks are
// given away; locations and functions follow all samples.
type pprof struct {
	stacks
	j       *Job
	out     *output
	zip     *gzip.Writer
	labels  *labeller
	methods *methods
	err     error // of the options, or the first one of writing

	texts     map[string]uint64 // that may be used again, by their text
	number    uint64            // of texts written
	functions pprofFunctions
	threads   map[int32]uint64 // by thread: the number of its name

	labelled, scratch, message []byte // memory: the label of a sample, a head, a message
	ids                        []uint64
	callers                    []uint64 // by node: the location that its last call was made from; 0 if that is no call
}

// mostTexts bounds how many texts are kept to be used again.
const mostTexts = 1 << 16

// newPprof returns a target that keeps so many stacks in memory; 0 for the usual number.
func newPprof(j *Job, out *output, most int) *pprof {
	p := &pprof{j: j, out: out, methods: methodsOf(j.R)}
	p.zip, p.err = gzip.NewWriterLevel(outputWriter{out}, gzip.BestSpeed)
	o := query.StacksOptions{Lines: true, Take: p.take, Most: most, Levels: j.Depth}
	if j.Label != "" && p.err == nil {
		if p.labels, p.err = newLabeller(j); p.err == nil {
			o.Label = p.labels.append
		}
	}
	p.Stacks = query.NewStacks(j.R, j.Scope, o)
	return p
}

func (p *pprof) start() error {
	if p.err == nil {
		p.begin()
	}
	return p.err
}

func (p *pprof) Reset() {
	p.out.restart()
	p.zip.Reset(outputWriter{p.out})
	p.begin()
	p.Stacks.Reset()
}

// begin writes what precedes the samples.
func (p *pprof) begin() {
	p.texts, p.number, p.threads = make(map[string]uint64), 0, make(map[int32]uint64)
	p.functions = newPprofFunctions(p.j.R, p.methods)
	p.text("") // the first one must be that
	kind, unit := "self", "nanoseconds"
	if !p.j.Timed {
		kind, unit = "events", "count"
	}
	for _, t := range [...][2]string{{"calls", "count"}, {kind, unit}} {
		p.message = number(p.message[:0], valueTypeType, p.text(t[0]))
		p.message = number(p.message, valueTypeUnit, p.text(t[1]))
		p.put(profileSampleType)
	}
	b := number(nil, profileDefaultSample, p.text(kind))
	if start, length := p.period(); p.j.Timed {
		if !p.j.Start.IsZero() {
			b = number(b, profileTime, uint64(p.j.Start.Add(start).UnixNano()))
		}
		b = number(b, profileDuration, uint64(length))
	}
	if p.j.Title != "" {
		b = number(b, profileComment, p.text(p.j.Title))
	}
	p.write(b)
}

// period returns which part of the recording is exported.
func (p *pprof) period() (start, length time.Duration) {
	from, to := int64(0), p.j.last
	if s := p.j.Scope; s.Timed {
		from, to = max(0, s.From), min(s.To, max(p.j.last, s.From))
	}
	return time.Duration(from), time.Duration(max(0, to-from))
}

func (p *pprof) take(t *query.StackTree) error {
	p.callers = p.callers[:0]
	for i := range t.Nodes {
		id := uint64(0)
		if n := &t.Nodes[i]; n.Parent >= 0 && n.At != query.AtLabel && t.Nodes[n.Parent].At != query.AtThread {
			id = p.functions.location(t.Groups, t.Nodes[n.Parent].What, n.At)
		}
		p.callers = append(p.callers, id)
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		value := n.Self
		if !p.j.Timed {
			value = n.Own
		}
		if n.Calls != 0 || value != 0 {
			p.sample(t, int32(i), n.Calls, value)
		}
	}
	return p.err
}

func (p *pprof) sample(t *query.StackTree, at int32, calls, value int64) {
	label := int32(-1)
	if n := &t.Nodes[at]; n.At == query.AtLabel {
		label, at = n.What, n.Parent
	}
	p.ids = p.ids[:0]
	if n := &t.Nodes[at]; n.At != query.AtThread { // the last call called nothing
		p.ids = append(p.ids, p.functions.location(t.Groups, n.What, query.AtCall))
	}
	for ; t.Nodes[at].At != query.AtThread; at = t.Nodes[at].Parent {
		if id := p.callers[at]; id > 0 {
			p.ids = append(p.ids, id)
		}
	}
	thread := p.thread(t.Nodes[at].What)
	if label >= 0 { // its text may have to be written first
		p.labelled = p.labels.message(p.labelled[:0], p, t.Label(label))
	}
	p.message = packed(p.message[:0], sampleLocation, p.ids)
	p.ids = append(p.ids[:0], uint64(calls), uint64(value))
	p.message = packed(p.message, sampleValue, p.ids)
	p.scratch = number(number(p.scratch[:0], labelKey, p.text("thread")), labelString, thread)
	p.message = protowire.AppendBytes(protowire.AppendTag(p.message, sampleLabel, protowire.BytesType), p.scratch)
	if label >= 0 {
		p.message = protowire.AppendBytes(protowire.AppendTag(p.message, sampleLabel, protowire.BytesType), p.labelled)
	}
	p.put(profileSample)
}

func (p *pprof) finish() error {
	if p.err == nil {
		p.err = p.Finish()
	}
	p.functions.write(p)
	if p.err == nil {
		p.err = p.zip.Close()
	}
	if p.err == nil {
		p.err = p.out.err
	}
	return p.err
}

// outputWriter is the io.Writer of an output.
type outputWriter struct{ *output }

func (w outputWriter) Write(b []byte) (int, error) {
	w.write(b)
	return len(b), w.err
}

// write writes to the compressor. The first error sticks.
func (p *pprof) write(b []byte) {
	if p.err == nil {
		_, p.err = p.zip.Write(b)
	}
}

func (p *pprof) put(field protowire.Number) {
	p.scratch = protowire.AppendTag(p.scratch[:0], field, protowire.BytesType)
	p.scratch = protowire.AppendVarint(p.scratch, uint64(len(p.message)))
	p.write(p.scratch)
	p.write(p.message)
}

// text returns the number of a text, which it writes if it is not known.
func (p *pprof) text(s string) uint64 {
	n, ok := p.texts[s]
	if ok {
		return n
	}
	if n = p.number; len(p.texts) >= mostTexts {
		clear(p.texts)
	}
	p.texts[s] = n
	p.number++
	p.scratch = protowire.AppendTag(p.scratch[:0], profileString, protowire.BytesType)
	p.scratch = protowire.AppendString(p.scratch, s)
	p.write(p.scratch)
	return n
}

func packed(b []byte, field protowire.Number, list []uint64) []byte {
	size := 0
	for _, v := range list {
		size += protowire.SizeVarint(v)
	}
	b = protowire.AppendVarint(protowire.AppendTag(b, field, protowire.BytesType), uint64(size))
	for _, v := range list {
		b = protowire.AppendVarint(b, v)
	}
	return b
}

// validText returns a text as the format of protocol buffers wants it.
func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// thread returns the number of the name of a thread.
func (p *pprof) thread(thread int32) uint64 {
	n, ok := p.threads[thread]
	if !ok {
		n = p.text(validText(p.j.threadTitle(thread)))
		if len(p.threads) >= mostTexts {
			clear(p.threads)
		}
		p.threads[thread] = n
	}
	return n
}
