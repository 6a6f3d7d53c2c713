package details

import (
	"strconv"
	"time"

	"tracex/format"
	"tracex/ui/internal/code"
	"tracex/ui/internal/screen"
)

// maxStack is the number of frames shown of a live breakpoint's stack.
const maxStack = 50

// snapshot writes what a live breakpoint recorded.
func (d describer) snapshot(p *format.Point) {
	snap := p.Snapshot
	if snap == nil {
		return
	}
	d.s.pair("time", time.UnixMilli(snap.Time).UTC().Format("2006-01-02 15:04:05.000 UTC"), screen.Plain)
	if snap.TraceID != nil {
		d.s.pair("trace id", *snap.TraceID, screen.Plain)
	}
	for i := range snap.Watches {
		d.value("watch "+strconv.Itoa(i+1), "", &snap.Watches[i])
	}
	names := d.c.LocalNames(p)
	for i := range snap.Locals {
		if names == nil {
			d.value("local "+strconv.Itoa(i+1), "", &snap.Locals[i])
			continue
		}
		label := ""
		if i == 0 {
			label = "locals"
		}
		d.value(label, names[i], &snap.Locals[i])
	}
	for i, id := range snap.Stack {
		label := ""
		if i == 0 {
			label = "stack"
		}
		if i == maxStack {
			d.s.pair("", "and "+screen.Plural(int64(len(snap.Stack)-i), "more frame"), screen.Faint)
			break
		}
		d.s.pair(label, d.frame(id), screen.Plain)
	}
}

// frame returns a code location as a frame of a stack: "org.example.Class.method at File.java:12".
func (d describer) frame(id int32) string {
	at := string(d.c.AppendLocationText(nil, id))
	l := d.c.Location(id)
	if l == nil {
		return at
	}
	class, method := code.Class(d.c, l), ""
	if method, _ = d.c.Text(l.Method); class != "" && method != "" {
		class += "."
	}
	if class += method; class == "" {
		return at
	}
	return class + " at " + at
}
