package rawtest

import "tracex/recorder/instrument/raw"

func (f *File) describe(kind uint32, body []byte) {
	const head, room = 8, 4096
	size := (head + len(body) + 7) &^ 7
	d := f.descriptors
	if d == nil || d.end-d.at < int64(size) {
		n := max(room, size+raw.ChunkHead)
		at := f.take(n)
		f.chunk(at, raw.ChunkDescriptors, n, 0, 0)
		d = &descriptors{at + raw.ChunkHead, at + int64(n)}
		f.descriptors = d
	}
	b := append(le.AppendUint32(make([]byte, 4), uint32(size)), body...)
	f.put(d.at+4, b[4:])
	f.word(d.at, kind)
	d.at += int64(size)
}

func appendString(b []byte, s string) []byte {
	return append(le.AppendUint32(b, uint32(len(s))), s...)
}

// Function describes a function, once.
func (f *File) Function(d *raw.Function) {
	if f.described[d.ID] {
		return
	}
	f.described[d.ID] = true
	b := le.AppendUint32(le.AppendUint32(nil, d.ID), uint32(d.Line))
	for _, n := range []int{int(d.Flags), len(d.Arguments), len(d.Results), 0} {
		b = le.AppendUint16(b, uint16(n))
	}
	for _, t := range d.Arguments {
		b = le.AppendUint32(b, t)
	}
	for _, s := range []string{d.Package, d.Name, d.File, d.Names} {
		b = appendString(b, s)
	}
	f.describe(raw.DescriptorFunction, b)
	if len(d.Results) > 0 {
		b := le.AppendUint32(le.AppendUint32(nil, d.ID), uint32(len(d.Results)))
		for _, t := range d.Results {
			b = le.AppendUint32(b, t)
		}
		f.describe(raw.DescriptorResults, b)
	}
}

func (f *File) Type(t *raw.Type) {
	b := append(le.AppendUint32(nil, t.ID), byte(t.Kind), t.Flags, 0, 0)
	b = le.AppendUint64(b, t.Size)
	b = le.AppendUint32(b, t.Element)
	b = le.AppendUint32(b, uint32(len(t.Fields)))
	b = appendString(appendString(b, t.Name), t.Package)
	for _, field := range t.Fields {
		b = appendString(le.AppendUint32(b, field.Type), field.Name)
	}
	f.describe(raw.DescriptorType, b)
}

// FreshDescriptors puts the next descriptor into a new chunk.
func (f *File) FreshDescriptors() { f.descriptors = nil }
