package calltrace

import (
	"encoding/binary"
	"strings"

	"tracex/format"
)

// Method is the number of a method.
type Method int32

// Method returns the number of a method. class may be "": then only the name is shown.
func (w *Writer) Method(class, name string) Method {
	m := Method(w.dict.Method([]byte(class), []byte(name), Anything))
	w.described()
	return m
}

// Class returns the number of a class, for values that are objects.
func (w *Writer) Class(name string) int32 {
	c := w.dict.Class([]byte(name))
	w.described()
	return c
}

// Package says what import path a package of Go has whose name classes begin with.
func (w *Writer) Package(name, path string) {
	w.dict.String([]byte(format.PackageText(name, path)))
	w.described()
}

// Place is the number of a place in the source from which a call is made, with the names of the
// call's arguments. The zero Place is unknown.
type Place int32

// Place returns the number of a place. file, function and line may be empty. names are those of the
// arguments of the calls there, as many as they have; nil if they have none. Arguments are shown
// without names if a call has another number of them; a name may be "".
// An empty name is none.
func (w *Writer) Place(file, function string, line int, names []string) Place {
	if file == "" && function == "" && line == 0 && len(names) == 0 {
		return 0
	}
	p := Place(w.dict.place(file, function, line, names) + 1)
	w.described()
	return p
}

// mostPending is how many bytes of new descriptors wait for a block.
const mostPending = 1 << 20

// described looks after the descriptors that wait to be written.
func (w *Writer) described() {
	if w.err == nil {
		if w.err = w.dict.Err; w.err == ErrNumbers {
			w.err = errNumbers
		}
	}
	if w.dict.Pending() >= mostPending && w.err == nil {
		w.err = w.spillDescriptors()
	}
}

// place returns the number of a code location, by its texts.
func (d *Dictionary) place(file, function string, line int, names []string) int32 {
	names = names[:min(len(names), maxArgs)]
	d.begin(format.KindCodeLocation)
	d.key = binary.AppendVarint(d.key, int64(int32(line)))
	d.key = binary.AppendUvarint(d.key, uint64(len(file)))
	d.key = append(d.key, file...)
	d.key = binary.AppendUvarint(d.key, uint64(len(function)))
	d.key = append(d.key, function...)
	for _, name := range names {
		d.key = binary.AppendUvarint(d.key, uint64(len(name)))
		d.key = append(d.key, name...)
	}
	id, key, isNew := d.number()
	if isNew {
		o := format.CodeLocation{Kind: format.LocationCall, ID: id, Class: none, Line: int32(line), Path: none}
		o.File, o.Method = d.String([]byte(file)), d.String([]byte(function))
		for _, name := range names {
			path := none
			if name = shownName(name); name != "" {
				path = d.Path([]byte(name))
			}
			o.ArgNames = append(o.ArgNames, path)
		}
		object, err := o.Append(d.object[:0], d.Version)
		d.define(format.KindCodeLocation, key, object, err)
	}
	return id
}

// shownName returns a name of an argument that the format does not take for the instance, which it
// would not show. It does not show a $ at its beginning anyway.
func shownName(name string) string {
	name = strings.TrimLeft(name, "$")
	if name == "this" || strings.HasPrefix(name, "this$") || strings.HasPrefix(name, "this_$iv") {
		return "_" + name
	}
	return name
}

// spillDescriptors makes room for new descriptors: in a block of a thread that is open, or, without
// one, in the temporary file.
func (w *Writer) spillDescriptors() error {
	if t := w.live.next; t != &w.live {
		return w.blocks.Flush(&t.block)
	}
	if w.spilled == nil {
		w.spilled = w.spool.Stream()
	}
	return w.dict.Each(func(object []byte) error { return w.spool.Add(w.spilled, 0, object) })
}

// unspillDescriptors writes the descriptors in the temporary file, in blocks of a thread that has no
// events yet.
func (w *Writer) unspillDescriptors(t *Thread) error {
	if w.spilled == nil {
		return nil
	}
	records := w.spool.OpenBeside(w.spilled)
	w.spilled = nil
	for records.Next() && w.err == nil {
		t.block.Reference(records.Body, w.options.Version)
		_ = t.wrote()
	}
	if w.err == nil {
		w.err = records.Err()
	}
	return w.err
}
