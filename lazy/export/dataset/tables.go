package dataset

import (
	"tracex/lazy/export"
	"tracex/lazy/export/dataset/internal/parquetfile"
)

// column is a node of the schema of a table, and what fills its leaves.
type column[R any] struct {
	node  parquetfile.Node
	fills []fill[R]
}

// Leaves by which rows are sorted.
const (
	leafThread = 1
	leafFirst  = 5 // of calls
)

// callColumns are the columns of the table of calls. Files have them: a change is a new [SchemaVersion].
func callColumns() []column[call] {
	return []column[call]{
		one(parquetfile.Leaf("trace", parquetfile.Name), trace[call]),
		one(parquetfile.Leaf("thread", parquetfile.Int32), int32s(func(r *call) int32 { return r.thread + 1 })),
		one(parquetfile.Leaf("thread_name", parquetfile.Name), nameds(func(r *call) int32 { return r.threadName })),
		one(parquetfile.Leaf("event", parquetfile.Int32), int32s(func(r *call) int32 { return r.event })),
		one(maybe("parent", parquetfile.Int32), maybe32(func(r *call) (int32, bool) { return r.parent, r.depth > 0 })),
		one(parquetfile.Leaf("first", parquetfile.Int64), based(func(r *call) int64 { return r.first })),
		one(parquetfile.Leaf("last", parquetfile.Int64), based(func(r *call) int64 { return r.last })),
		one(parquetfile.Leaf("depth", parquetfile.Int32), int32s(func(r *call) int32 { return r.depth })),
		one(parquetfile.Leaf("method", parquetfile.Name), ofMethod(func(r *call) int32 { return r.method }, func(m *method) int32 { return m.name })),
		one(maybe("class", parquetfile.Name), maybeOfMethod(func(r *call) int32 { return r.method }, func(m *method) int32 { return m.class })),
		one(maybe("package", parquetfile.Name), maybeOfMethod(func(r *call) int32 { return r.method }, func(m *method) int32 { return m.pkg })),
		one(parquetfile.Leaf("parameters", parquetfile.Name), ofMethod(func(r *call) int32 { return r.method }, func(m *method) int32 { return m.parameters })),
		one(maybe("caller", parquetfile.Name), maybeOfMethod(func(r *call) int32 { return r.caller }, func(m *method) int32 { return m.name })),
		one(maybe("file", parquetfile.Name), maybeNamed(func(r *call) int32 { return r.file })),
		one(maybe("line", parquetfile.Repeat32), maybe32(func(r *call) (int32, bool) { return r.line, r.line >= 0 })),
		one(maybe("start_ns", parquetfile.Int64), maybe64(func(r *call) (int64, bool) { return r.start, r.started })),
		one(maybe("dur_ns", parquetfile.Int64), maybe64(func(r *call) (int64, bool) { return r.dur, r.dur >= 0 })),
		one(maybe("self_ns", parquetfile.Int64), maybe64(func(r *call) (int64, bool) { return r.self, r.self >= 0 })),
		one(parquetfile.Leaf("points", parquetfile.Int64), int64s(func(r *call) int64 { return r.points })),
		one(parquetfile.Leaf("calls", parquetfile.Int64), int64s(func(r *call) int64 { return r.last - r.first })),
		one(maybe("receiver_class", parquetfile.Name), maybeNamed(func(r *call) int32 { return r.receiverClass })),
		one(maybe("receiver_hash", parquetfile.Repeat32), maybe32(func(r *call) (int32, bool) { return r.receiverHash, r.receiverClass != none && r.receiverHash != 0 })),
		{parquetfile.Optional(parquetfile.List("args", valueNodes()...)), argFills()},
		{parquetfile.Optional(parquetfile.Struct("result", valueNodes()...)), valueFills(func(r *call) int32 { return r.result })},
		one(maybe("exception", parquetfile.Name), maybeNamed(func(r *call) int32 { return r.exception })),
		one(parquetfile.Leaf("unfinished", parquetfile.Boolean), truths(func(r *call) bool { return r.unfinished })),
		one(parquetfile.Leaf("path_hash", parquetfile.Repeat64), int64s(func(r *call) int64 { return int64(r.path) })),
		one(parquetfile.Leaf("shape_hash", parquetfile.Repeat64), int64s(func(r *call) int64 { return int64(r.shape) })),
	}
}

// pointColumns are the columns of the table of points.
func pointColumns() []column[point] {
	return []column[point]{
		one(parquetfile.Leaf("trace", parquetfile.Name), trace[point]),
		one(parquetfile.Leaf("thread", parquetfile.Int32), int32s(func(r *point) int32 { return r.thread + 1 })),
		one(parquetfile.Leaf("thread_name", parquetfile.Name), nameds(func(r *point) int32 { return r.threadName })),
		one(parquetfile.Leaf("event", parquetfile.Int32), int32s(func(r *point) int32 { return r.event })),
		one(maybe("call", parquetfile.Int32), maybe32(func(r *point) (int32, bool) { return r.call, r.first != noCall })),
		one(maybe("first", parquetfile.Int64), func(c *parquetfile.Column, b *batch[point]) {
			maybe64(func(r *point) (int64, bool) { return r.first + b.base, r.first != noCall })(c, b)
		}),
		one(maybe("method", parquetfile.Name), maybeOfMethod(func(r *point) int32 { return r.method }, func(m *method) int32 { return m.name })),
		one(parquetfile.Leaf("kind", parquetfile.Name), nameds(func(r *point) int32 { return r.kind })),
		one(maybe("name", parquetfile.Name), maybeNamed(func(r *point) int32 { return r.name })),
		one(maybe("class", parquetfile.Name), maybeNamed(func(r *point) int32 { return r.class })),
		one(maybe("owner_class", parquetfile.Name), maybeNamed(func(r *point) int32 { return r.owner })),
		one(maybe("owner_hash", parquetfile.Repeat32), maybe32(func(r *point) (int32, bool) { return r.ownerHash, r.owner != none && r.ownerHash != 0 })),
		one(maybe("element", parquetfile.Int32), maybe32(func(r *point) (int32, bool) { return r.element, r.indexed })),
		{parquetfile.Optional(parquetfile.Struct("value", valueNodes()...)), valueFills(func(r *point) int32 { return r.value })},
		one(maybe("at_ns", parquetfile.Int64), maybe64(func(r *point) (int64, bool) { return r.at, r.timed })),
		one(maybe("file", parquetfile.Name), maybeNamed(func(r *point) int32 { return r.file })),
		one(maybe("line", parquetfile.Repeat32), maybe32(func(r *point) (int32, bool) { return r.line, r.line >= 0 })),
	}
}

func one[R any](n parquetfile.Node, f fill[R]) column[R] { return column[R]{n, []fill[R]{f}} }

func maybe(name string, kind parquetfile.Kind) parquetfile.Node {
	return parquetfile.Optional(parquetfile.Leaf(name, kind))
}

func valueNodes() []parquetfile.Node {
	return []parquetfile.Node{
		parquetfile.Leaf("type", parquetfile.Name), maybe("text", parquetfile.Text), maybe("number", parquetfile.Double),
		maybe("int", parquetfile.Int64), maybe("hash", parquetfile.Repeat32),
	}
}

// members append the members of a value, in their order; they return false for one that is null.
var members = [...]func(c *parquetfile.Column, v *value, text []byte) bool{
	func(c *parquetfile.Column, v *value, _ []byte) bool {
		c.Names = append(c.Names, v.kind)
		return true
	},
	func(c *parquetfile.Column, v *value, text []byte) bool {
		if v.length < 0 {
			return false
		}
		c.AddText(text[v.text : v.text+v.length])
		return true
	},
	func(c *parquetfile.Column, v *value, _ []byte) bool {
		if v.number != export.Real {
			return false
		}
		c.Doubles = append(c.Doubles, v.real())
		return true
	},
	func(c *parquetfile.Column, v *value, _ []byte) bool {
		if v.number != export.Integer {
			return false
		}
		c.Int64s = append(c.Int64s, v.integer)
		return true
	},
	func(c *parquetfile.Column, v *value, _ []byte) bool {
		if !v.hashed {
			return false
		}
		c.Int32s = append(c.Int32s, v.hash)
		return true
	},
}

// required is the member that is never null.
const required = 0

// valueFills fill a struct that is a value. get returns where it is in the chunk's values.
func valueFills[R any](get func(r *R) int32) (list []fill[R]) {
	for i, add := range members {
		there := uint8(2)
		if i == required {
			there = 1
		}
		list = append(list, func(c *parquetfile.Column, b *batch[R]) {
			for j := range b.rows {
				def := uint8(0)
				if at := get(&b.rows[j]); at != none {
					if def = there; !add(c, &b.values[at], b.text) {
						def--
					}
				}
				c.Defs = append(c.Defs, def)
			}
		})
	}
	return list
}

func argFills() (list []fill[call]) {
	for i, add := range members {
		there := uint8(3)
		if i == required {
			there = 2
		}
		list = append(list, func(c *parquetfile.Column, b *batch[call]) {
			for j := range b.rows {
				r := &b.rows[j]
				switch {
				case !r.hasArgs:
					c.Defs, c.Reps = append(c.Defs, 0), append(c.Reps, 0)
				case r.argCount == 0:
					c.Defs, c.Reps = append(c.Defs, 1), append(c.Reps, 0)
				}
				rep := uint8(0)
				args := b.values[r.args : r.args+r.argCount]
				for k := range args {
					def := there
					if !add(c, &args[k], b.text) {
						def--
					}
					c.Defs, c.Reps, rep = append(c.Defs, def), append(c.Reps, rep), 1
				}
			}
		})
	}
	return list
}
