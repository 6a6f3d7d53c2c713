package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// largest bounds the size of the file, in bytes.
const largest = 64 << 10

// Read reads a file. A file that does not exist is empty unless the user named it.
func Read(p Place) (*File, error) {
	f := &File{Path: p.Path}
	if p.Path == "" {
		return f, nil
	}
	in, err := os.Open(p.Path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) && !p.Named {
			err = nil
		}
		return f, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, largest+1))
	switch {
	case err != nil:
		return f, err
	case len(data) > largest:
		return f, fmt.Errorf("%s: larger than 64 KiB: not a configuration", p.Path)
	}
	return Parse(p.Path, data), nil
}

// Parse reads the text of a file, which is TOML. After a line that is not, it continues with the
// next one.
func Parse(path string, data []byte) *File {
	f := &File{Path: path}
	p := parser{file: f, data: data}
	for from := 0; from < len(data); {
		from = p.some(from)
	}
	return f
}

// parser turns TOML's syntax tree into entries. Package unstable, with the parser of go-toml, gives
// the lines; its Unmarshal stops at the first mistake, and knows no lines of what is right.
type parser struct {
	file    *File
	data    []byte
	section string
	toml    unstable.Parser
	from    int // offset in data of the part that toml reads
}

// some reads from an offset up to the first mistake, and returns where to continue.
func (p *parser) some(from int) (next int) {
	p.from = from
	p.toml.Reset(p.data[from:])
	begin := from // of the lines that the mistake can be in
	for p.toml.NextExpression() {
		if e := p.toml.Expression(); e.Kind != unstable.Comment {
			begin = p.after(p.expression(e))
		}
	}
	err := p.toml.Error()
	if err == nil {
		return len(p.data)
	}
	// A bracket that is not closed is noticed lines later: the mistake is where its entry begins.
	found := max(begin, p.offset(err))
	at := begin
	for p.after(at) <= found && p.after(at) < len(p.data) && !beginning().Match(p.data[at:]) {
		at = p.after(at)
	}
	p.file.fault(p.line(at), p.explain(at, found, err))
	for next = p.after(at); next < len(p.data) && !beginning().Match(p.data[next:]); {
		next = p.after(next)
	}
	return next
}

// beginning is how a table or an entry begins.
var beginning = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t]*(\[|[^\s=#"'\[\]{},]+[ \t]*=)`) })

// after returns the offset of the line after that of an offset.
func (p *parser) after(at int) int {
	end := bytes.IndexByte(p.data[at:], '\n')
	if end < 0 {
		return len(p.data)
	}
	return at + end + 1
}

// expression reads a table's header or an entry, and returns its offset.
func (p *parser) expression(e *unstable.Node) int {
	name, at := p.key(e.Key())
	switch e.Kind {
	case unstable.Table:
		p.section = name
	case unstable.ArrayTable:
		p.section = name
		p.file.fault(p.line(at), "[["+name+"]] is a list of tables; write ["+name+"]")
	case unstable.KeyValue:
		p.entry(p.section, e)
	}
	return at
}

// entry adds what a line sets: one entry, or those of a table in braces.
func (p *parser) entry(section string, e *unstable.Node) {
	name, at := p.key(e.Key())
	if section != "" {
		name = section + "." + name
	}
	if v := e.Value(); v.Kind == unstable.InlineTable {
		for it := v.Children(); it.Next(); {
			p.entry(name, it.Node())
		}
		return
	}
	var one Entry
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		one.Section, one.Name = name[:dot], name[dot+1:]
	} else {
		one.Name = name
	}
	one.Value, one.Line = p.value(e.Value()), p.line(at)
	p.file.add(one)
}

// key joins the parts of a name, and returns its offset.
func (p *parser) key(it unstable.Iterator) (name string, at int) {
	var parts []string
	for it.Next() {
		n := it.Node()
		if len(parts) == 0 {
			at = p.from + int(n.Raw.Offset)
		}
		parts = append(parts, string(n.Data))
	}
	return strings.Join(parts, "."), at
}

func (p *parser) value(n *unstable.Node) Value {
	switch text := string(n.Data); n.Kind {
	case unstable.String:
		return Value{Kind: Text, Text: text}
	case unstable.Bool:
		return Value{Kind: Bool, Text: text}
	case unstable.Integer, unstable.Float:
		return Value{Kind: Number, Text: text}
	case unstable.Array:
		list := Value{Kind: List}
		for it := n.Children(); it.Next(); {
			list.List = append(list.List, p.value(it.Node()))
		}
		return list
	case unstable.InlineTable:
		return Value{Kind: Other, Text: "a table"}
	default:
		return Value{Kind: Other, Text: text}
	}
}

// offset returns where an error is.
func (p *parser) offset(err error) int {
	var e *unstable.ParserError
	if !errors.As(err, &e) {
		return p.from
	}
	// As in its method Range, which panics if the bytes are not a part of the text.
	rest := p.data[p.from:]
	if at := cap(rest) - cap(e.Highlight); e.Highlight != nil && at >= 0 && at <= len(rest) {
		return p.from + at
	}
	return p.from
}

func (p *parser) line(at int) int { return 1 + bytes.Count(p.data[:at], []byte("\n")) }

// bare is a text that lacks its quotes.
var bare = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*([\w-]+)\s*=\s*([^\s"'\[\]{}#][^"'\[\]{}#]*?)\s*(#.*)?$`)
})

// explain tells what is wrong with the entry in the line at an offset; found is where that was noticed.
func (p *parser) explain(at, found int, err error) string {
	line, _, _ := bytes.Cut(p.data[at:], []byte("\n"))
	if !utf8.Valid(line) {
		return "not UTF-8"
	}
	if m := bare().FindSubmatch(line); m != nil && len(m[2]) <= 40 {
		return string(m[2]) + " needs quotes: " + string(m[1]) + " = " + Quote(string(m[2]))
	}
	if n := p.line(found); n > p.line(at) {
		return fmt.Sprintf("%v in line %d", err, n)
	}
	return err.Error()
}
