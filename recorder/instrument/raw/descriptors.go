package raw

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"io"
	"reflect"
	"strings"
)

// Function is a function, or a go statement, as the program describes it.
type Function struct {
	ID        uint32
	Line      int
	Flags     uint16   // see FunctionReceiver
	Arguments []uint32 // ids of their types, the receiver's included; 0 if unknown
	Results   []uint32 // the same; all 0 until there are Results
	Package   string   // the path
	Name      string   // (*T).m, f.func1; of a go statement its text
	File      string
	Names     string // of the arguments, and of the results: see DescriptorFunction
}

// Results are the types of a function's results.
type Results struct {
	Function uint32
	Types    []uint32
}

// Type is a type as the program describes it.
type Type struct {
	ID      uint32
	Kind    reflect.Kind
	Flags   uint8 // see TypeNamed
	Size    uint64
	Element uint32 // id; 0 if there is none
	Fields  []Field
	Name    string // as the runtime has it
	Package string // the path; "" for a type without a name
}

type Field struct {
	Type uint32 // id
	Name string
}

// Test is a test that began or ended.
type Test struct {
	Goroutine uint64 // that runs it
	Took      uint64 // ns
	Verdict   uint32 // see TestBegan
	Package   string // the path
	Name      string // such as TestPay/big
}

// FirstTest returns the first test that a file tells of; nil if there is none.
func (f *File) FirstTest() *Test {
	const window, passed = 64 << 10, 64 << 20 // bytes without a chunk
	for chunks := f.Chunks(f.Window(window)); ; {
		before := chunks.Offset()
		chunk, ok, err := chunks.Next(passed)
		switch {
		case !ok && (chunks.Offset() == before || err == nil):
			return nil
		case !ok || chunk.Kind != ChunkDescriptors:
			continue
		}
		data, seen, err := chunks.Read(chunk.Offset+ChunkHead, chunk.Size-ChunkHead)
		if err != nil {
			return nil
		}
		for d := NewDescriptors(data, seen); ; {
			found, ok := d.Next()
			if found.Test != nil {
				return found.Test
			}
			if !ok || found == (Descriptor{}) {
				break
			}
		}
	}
}

// Descriptors has the descriptors of a chunk that are still to be read.
type Descriptors struct {
	data, seen []byte
	read       int
}

// NewDescriptors reads the bytes of a chunk from the beginning of a descriptor on. data and seen are
// as [Window.Read] returns them.
func NewDescriptors(data, seen []byte) Descriptors { return Descriptors{data: data, seen: seen} }

// Read returns how many bytes of whole descriptors were read.
func (d *Descriptors) Read() int { return d.read }

// descriptorHead is the size of a descriptor's head.
const descriptorHead = 8

// Descriptor is a decoded descriptor: one of its fields is not nil.
type Descriptor struct {
	Function *Function
	Results  *Results
	Type     *Type
	Packages *Packages
	Test     *Test
}

// Next returns the next descriptor; a zero one at the end of what the program has written. ok is
// false if the next one is damaged: others may follow if Read has grown.
func (d *Descriptors) Next() (found Descriptor, ok bool) {
	le := binary.LittleEndian
	rest := d.data[d.read:]
	if len(rest) < descriptorHead || le.Uint32(d.seen[d.read:]) == 0 {
		return found, true
	}
	kind, size := le.Uint32(rest), uint64(le.Uint32(rest[4:]))
	if size < descriptorHead || size > uint64(len(rest)) || size%descriptorHead != 0 {
		return Descriptor{}, false
	}
	d.read += int(size)
	c := Cursor{B: rest[descriptorHead:size]}
	switch kind {
	case DescriptorFunction:
		found.Function = c.function()
	case DescriptorType:
		found.Type = c.typ()
	case DescriptorResults:
		found.Results = c.results()
	case DescriptorPackages:
		ps, ok := parsePackages(c.string())
		found.Packages, c.Bad = ps, c.Bad || !ok
	case DescriptorTest:
		t := &Test{Goroutine: c.U64(), Took: c.U64(), Verdict: c.U32()}
		c.U32()
		t.Package, t.Name = c.string(), c.string()
		found.Test, c.Bad = t, c.Bad || t.Verdict > TestSkipped
	default:
		return Descriptor{}, false
	}
	if c.Bad {
		return Descriptor{}, false
	}
	return found, true
}

func (c *Cursor) function() *Function {
	f := &Function{ID: c.U32(), Line: int(int32(c.U32())), Flags: c.U16()}
	arguments, results := int(c.U16()), int(c.U16())
	c.U16()
	f.Arguments, f.Results = c.ids(arguments), make([]uint32, results)
	f.Package, f.Name, f.File, f.Names = c.string(), c.string(), c.string(), c.string()
	return f
}

func (c *Cursor) results() *Results {
	return &Results{c.U32(), c.ids(int(c.U32()))}
}

func (c *Cursor) ids(n int) []uint32 {
	if n > len(c.B)/4 || !c.room(4*n) {
		c.Bad = true
		return nil
	}
	list := make([]uint32, n)
	for i := range list {
		list[i] = c.U32()
	}
	return list
}

func (c *Cursor) typ() *Type {
	t := &Type{ID: c.U32(), Kind: reflect.Kind(c.U8()), Flags: c.U8()}
	c.U16()
	t.Size, t.Element = c.U64(), c.U32()
	n := c.U32()
	t.Name, t.Package = c.string(), c.string()
	if t.Kind > reflect.UnsafePointer || uint64(n)*8 > uint64(len(c.B)) || !c.room(int(n)*8) {
		c.Bad = true
		return nil
	}
	for range n {
		t.Fields = append(t.Fields, Field{Type: c.U32(), Name: c.string()})
	}
	return t
}

// string reads a length of 32 bits and that many bytes.
func (c *Cursor) string() string {
	n := c.U32()
	if uint64(n) > uint64(len(c.B)) {
		c.Bad = true
		return ""
	}
	return string(c.Take(int(n)))
}

// Package is what the build of a program says about a package whose name its import path does not tell.
type Package struct {
	Path string
	Name string // by which the trace names it: no other package of the build has it
	As   string // the path to show instead of Path; "" if they are the same
}

// Packages are the packages of a program, as it describes them.
type Packages struct {
	Main string // path of its main package; "" if unknown
	List []Package
}

// mostPackages bounds the text of a list.
const mostPackages = 16 << 20

// EncodePackages returns a list as one word.
func EncodePackages(list []Package) string {
	if len(list) == 0 {
		return ""
	}
	var out bytes.Buffer
	w, _ := flate.NewWriter(&out, flate.BestCompression) // the error is for other levels
	for _, p := range list {
		_, _ = io.WriteString(w, p.Path+" "+p.Name+" "+p.As+"\n")
	}
	_ = w.Close() // a buffer does not fail
	return base64.RawURLEncoding.EncodeToString(out.Bytes())
}

// parsePackages reads the path of the main package and, after a blank, a list.
func parsePackages(text string) (*Packages, bool) {
	main, text, _ := strings.Cut(text, " ")
	ps := &Packages{Main: main}
	packed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || text == "" {
		return ps, err == nil
	}
	lines, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), mostPackages))
	for line := range strings.Lines(string(lines)) {
		path, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		name, as, ok := strings.Cut(rest, " ")
		if !ok || path == "" || name == "" {
			return ps, false
		}
		ps.List = append(ps.List, Package{path, name, as})
	}
	return ps, err == nil
}
