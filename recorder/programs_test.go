package recorder_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"tracex/format"
	"tracex/lazy/eager"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

// programs builds the programs that record themselves, once, and returns the directory with them.
func programs(t *testing.T) string {
	t.Helper()
	dir, err := builtPrograms()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// programsDir has the built programs; TestMain removes it.
var programsDir string

var builtPrograms = sync.OnceValues(func() (dir string, err error) {
	if programsDir, err = os.MkdirTemp("", "tracex-programs"); err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-o", programsDir+string(filepath.Separator), "tracex/testdata/programs/jsonparser", "tracex/testdata/programs/crawler").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return programsDir, err
})

// program runs one of the programs that record themselves, and returns its trace, which must
// have no fault.
func program(t *testing.T, name string, input []byte, args ...string) *eager.Forest {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace.bin")
	cmd := exec.Command(filepath.Join(programs(t), name), append([]string{trace}, args...)...)
	cmd.Stdin = bytes.NewReader(input)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	forest := tracetest.Load(t, trace)
	tracetest.Verify(t, trace, forest)
	return forest
}

// outline returns what a thread did, a line for each point: names, arguments, results.
func outline(t *testing.T, forest *eager.Forest, thread *eager.Thread) string {
	t.Helper()
	var out strings.Builder
	var visit func(n eager.Node, indent string)
	visit = func(n eager.Node, indent string) {
		var p format.Point
		var f format.Footer
		if err := n.Point(&p); err != nil {
			t.Fatal(err)
		}
		if err := n.Footer(&f); err != nil {
			t.Fatal(err)
		}
		text := func(v *format.Value) string { return string(forest.Context.AppendValueText(nil, v)) }
		out.WriteString(indent)
		switch p.Class {
		case format.ClassCall:
			out.WriteString(forest.Context.Method(p.Ref).Name)
			for i := range p.Args {
				out.WriteString(" " + text(&p.Args[i]))
			}
			out.WriteString(" -> " + f.Exception + text(&f.Result))
		case format.ClassLoop:
			fmt.Fprintf(&out, "loop %d", f.Iterations)
		case format.ClassIteration:
			fmt.Fprintf(&out, "iteration %d", p.Number)
		case format.ClassVariableWrite:
			out.WriteString(forest.Context.Variable(p.Ref).Name + " = " + text(&p.Value))
		default:
			fmt.Fprintf(&out, "%s %s", p.Class, text(&p.Value))
		}
		out.WriteByte('\n')
		for child := range n.Children() {
			visit(child, indent+" ")
		}
	}
	for root := range thread.Roots() {
		visit(root, "")
	}
	return out.String()
}

// A parser's tree is that of the document, as another parser finds it.
func TestJSONParser(t *testing.T) {
	document, err := exec.Command("go", "list", "-json", "-deps=false", "net/http").Output()
	if err != nil {
		t.Fatal(err)
	}
	if len(document) < 5000 {
		t.Fatalf("a document of %d bytes", len(document))
	}
	odd := []byte(`[{"\u00e9\ud83d\ude00\n":[-1.5e3,true,false,null,"",{}],"":[[[]]]}]`)
	for name, in := range map[string][]byte{"net_http": document, "odd": odd} {
		t.Run(name, func(t *testing.T) {
			d := &documentOutline{tokens: json.NewDecoder(bytes.NewReader(in)), text: format.NewContext(format.V22)}
			if d.value(""); d.err != nil {
				t.Fatal(d.err)
			}
			forest := program(t, "jsonparser", in)
			if len(forest.Threads) != 1 {
				t.Fatalf("%d threads", len(forest.Threads))
			}
			if got := outline(t, forest, forest.Threads[0]); got != d.out.String() {
				t.Errorf("the trace is\n%s\nwant\n%s", got, d.out.String())
			}
		})
	}
}

// documentOutline makes the outline that the parser's trace of a document must have, from the
// tokens that the standard library finds in the document.
type documentOutline struct {
	tokens *json.Decoder
	text   *format.Context
	out    strings.Builder
	err    error
}

// quoted returns a string as the trace has it.
func (d *documentOutline) quoted(s string) string {
	if units := utf16.Encode([]rune(s)); len(units) > 50 {
		s = string(utf16.Decode(units[:50])) + "..."
	}
	return string(d.text.AppendValueText(nil, &format.Value{Kind: format.ValueString, Text: s}))
}

func (d *documentOutline) line(indent, what string) { d.out.WriteString(indent + what + "\n") }

func (d *documentOutline) token() json.Token {
	token, err := d.tokens.Token()
	if err != nil {
		d.err = err
	}
	return token
}

func (d *documentOutline) value(indent string) {
	in := indent + " "
	switch v := d.token().(type) {
	case json.Delim:
		rule := map[json.Delim]string{'{': "object", '[': "array"}[v]
		d.line(indent, "value -> "+rule)
		d.members(in, rule)
	case string:
		d.line(indent, "value -> string")
		d.line(in, "string -> "+d.quoted(v))
	case float64:
		d.line(indent, "value -> number")
		d.line(in, "number -> "+string(d.text.AppendValueText(nil, double(v))))
	default: // a boolean or nothing
		d.line(indent, "value -> literal")
		d.line(in, "literal -> "+strings.Replace(fmt.Sprint(v), "<nil>", "null", 1))
	}
}

// members outlines an object or array. The number of members precedes them in the outline, but
// is known only after them.
func (d *documentOutline) members(indent, rule string) {
	before := d.out.String()
	d.out.Reset()
	n := 0
	for ; d.tokens.More() && d.err == nil; n++ {
		d.line(indent+"  ", fmt.Sprint("iteration ", n))
		if rule == "object" {
			key, _ := d.token().(string)
			d.line(indent+"   ", "string -> "+d.quoted(key))
			d.line(indent+"   ", "key = "+d.quoted(key))
		}
		d.value(indent + "   ")
	}
	d.token() // its end
	inside := d.out.String()
	d.out.Reset()
	d.out.WriteString(before)
	d.line(indent, fmt.Sprint(rule, " -> ", n))
	d.line(indent+" ", fmt.Sprint("loop ", n))
	d.out.WriteString(inside)
}

// A crawler's forest has the site's pages, each once, and the requests for them.
func TestCrawler(t *testing.T) { versiontest.EachVersion(t, testCrawler) }

func testCrawler(t *testing.T) {
	const pages = 60
	forest := program(t, "crawler", nil, fmt.Sprint(pages))
	found := make(map[string]string)
	for _, thread := range forest.Threads {
		if found[thread.Name] != "" {
			t.Errorf("%s is there twice", thread.Name)
		}
		found[thread.Name] = outline(t, forest, thread)
	}
	for i := range pages + 1 {
		path, status := fmt.Sprintf("%q", fmt.Sprint("/", i)), 200
		want := fmt.Sprintf("crawl %s -> (3, nil)\n fetch %s -> 200\n loop 3\n", path, path)
		for n, link := range []int{2*i + 1, 2*i + 2, i / 2} {
			want += fmt.Sprintf("  iteration %d\n   link = \"/%d\"\n", n, link%(pages+1))
		}
		if i == pages {
			status = 404
			want = fmt.Sprintf("crawl %s -> (0, errors.errorString: 404 Not Found)\n fetch %s -> 404\n throw %s\n", path, path,
				versiontest.ErrorText("errors.errorString", "404 Not Found"))
		}
		name := fmt.Sprint("crawl /", i)
		if versiontest.WithoutIdentity(found[name]) != want {
			t.Errorf("%s is\n%s\nwant\n%s", name, found[name], want)
		}
		request := fmt.Sprint("GET /", i)
		if want := fmt.Sprintf("ServeHTTP \"GET\" %s -> %d\n", path, status); found[request] != want {
			t.Errorf("%s is\n%s\nwant\n%s", request, found[request], want)
		}
		delete(found, name)
		delete(found, request)
	}
	if len(found) > 0 {
		t.Errorf("what else is there: %v", found)
	}
}

func double(v float64) *format.Value {
	return &format.Value{Kind: format.ValueDouble, Bits: int64(math.Float64bits(v))}
}
