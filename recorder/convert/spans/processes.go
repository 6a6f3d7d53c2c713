package spans

import (
	"slices"

	"tracex/recorder/convert/calltrace"
)

// processes are the services of spans. Many numbers may mean the same one.
type processes struct {
	to     *calltrace.Writer
	refs   []int32          // by number: index in all + 1; 0 if not described
	all    []process        // each different one
	known  map[string]int32 // by content: index in all + 1
	size   int              // bytes of all
	record writer           // scratch
}

type process struct {
	service string
	args    []Arg
}

const (
	mostRefs      = 1 << 24
	mostProcesses = 16 << 20 // bytes
)

func (p *processes) next() Process {
	if len(p.refs) >= mostRefs {
		return mostRefs
	}
	p.refs = append(p.refs, 0)
	return Process(len(p.refs) - 1)
}

func (p *processes) describe(n Process, service string, args []Arg) {
	if n < 0 || int(n) >= len(p.refs) {
		return
	}
	p.record.b = p.record.b[:0]
	p.record.text(service)
	p.record.args(args)
	at, ok := p.known[string(p.record.b)]
	if !ok {
		if p.size > mostProcesses {
			p.to.Leave("service with its attributes, after many others", "services with their attributes, after many others", 1, -1)
			return
		}
		if p.known == nil {
			p.known = map[string]int32{}
		}
		p.all = append(p.all, process{service, slices.Clone(args)})
		p.size += 3 * len(p.record.b)
		at = int32(len(p.all))
		p.known[string(p.record.b)] = at
	}
	p.refs[n] = at
}

// same reports whether two numbers mean the same service.
func (p *processes) same(a, b Process) bool { return a == b || p.ref(a) == p.ref(b) }

// ref returns the index of a service in all, + 1; 0 if it was not described.
func (p *processes) ref(n Process) int32 {
	if n < 0 || int(n) >= len(p.refs) {
		return 0
	}
	return p.refs[n]
}

// of returns the service with a number; one without a name if it was not described.
func (p *processes) of(n Process) process {
	if ref := p.ref(n); ref > 0 {
		return p.all[ref-1]
	}
	return process{}
}
