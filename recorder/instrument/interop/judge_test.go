package interop_test

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracex/format"
)

// subject is a program whose tests are run.
type subject struct {
	module   string   // "" for packages of Go's own library
	packages []string // of go test
	// differ are tests that need not end as they do without instrumentation, and why.
	differ map[string]string
	race   bool // under the race detector too
}

// TestJudge: for each function of these programs, the calls in the trace of their tests are as
// many as cmd/cover counts, and the tests end as they do without instrumentation.
func TestJudge(t *testing.T) {
	needed(t)
	for _, s := range []subject{
		{module: "github.com/gorilla/mux@v1.8.1", race: true},
		{module: "github.com/gorilla/schema@v1.4.1"},
		{module: "github.com/agext/levenshtein@v1.2.3"},
		{module: "github.com/google/uuid@v1.6.0"},
		{module: "github.com/Masterminds/semver/v3@v3.3.0"},
		{module: "github.com/mitchellh/mapstructure@v1.5.0"},
		{module: "github.com/hashicorp/go-version@v1.7.0"},
		{module: "github.com/dustin/go-humanize@v1.0.1"},
		{module: "github.com/hashicorp/go-multierror@v1.1.1", race: true},
	} {
		name, _, _ := strings.Cut(s.module, "@")
		t.Run(filepath.Base(name), func(t *testing.T) {
			s.packages = []string{"./..."}
			s.judge(t, fetch(t, s.module))
		})
	}
}

// TestJudgeLibrary is TestJudge for packages of Go's own library.
func TestJudgeLibrary(t *testing.T) {
	needed(t)
	for _, pkg := range []string{
		"container/list", "container/ring", "encoding/csv", "encoding/hex", "encoding/ascii85", "html", "path", "text/scanner", "text/tabwriter", "text/template/parse",
	} {
		t.Run(pkg, func(t *testing.T) {
			s := subject{packages: []string{pkg}}
			s.judge(t, t.TempDir())
		})
	}
}

func (s *subject) judge(t *testing.T, dir string) {
	counted, plain := s.covered(t, dir)
	recorded, out, said := s.recorded(t, dir)
	s.same(t, outcomes(t, out), plain)
	if s.race {
		out, _ := run(t, dir, append([]string{"go", "test", "-json", "-count=1", "-race"}, s.packages...)...)
		plain := outcomes(t, out)
		out, _ = run(t, dir, append([]string{program(t), "record", "--waits", "-o", filepath.Join(t.TempDir(), "trace.bin"), "--", "go", "test", "-json", "-race"}, s.packages...)...)
		s.same(t, outcomes(t, out), plain)
		if bytes.Contains(out, []byte("DATA RACE")) {
			t.Errorf("the race detector found something: %s", out)
		}
	}
	differ := slices.DeleteFunc(slices.Sorted(maps.Keys(counted)), func(name string) bool { return recorded[name] == counted[name] })
	judged, unsteady := len(counted)-len(differ), 0
	// Some counts depend on time or chance, such as the order of a map: what differs is counted and recorded
	// again, and is wrong if it is the same each time.
	for tries := 0; len(differ) > 0 && tries < 8; tries++ {
		countedNow, _ := s.covered(t, dir)
		recordedNow, _, _ := s.recorded(t, dir)
		differ = slices.DeleteFunc(differ, func(name string) bool {
			changed := countedNow[name] != counted[name] || recordedNow[name] != recorded[name]
			if changed {
				unsteady++
			}
			return changed
		})
	}
	for _, name := range differ {
		t.Errorf("%s: %d calls recorded, %d counted", name, recorded[name], counted[name])
	}
	t.Logf("%d functions have as many calls as counted, %d differ from run to run", judged, unsteady)
	if judged == 0 {
		t.Errorf("nothing was judged; tracex said %s", said)
	}
}

// recorded records the tests, and returns how often each function was called, and what go test and tracex wrote.
func (s *subject) recorded(t *testing.T, dir string) (calls map[string]int, out, said []byte) {
	trace := filepath.Join(t.TempDir(), "trace.bin")
	out, said = run(t, dir, append([]string{program(t), "record", "--tests=false", "--waits", "--depth", "1", "-o", trace, "--", "go", "test", "-json"}, s.packages...)...)
	return callsOf(t, trace), out, said
}

// same checks that the tests ended as they do without instrumentation.
func (s *subject) same(t *testing.T, instrumented, plain map[string]string) {
	t.Helper()
	for test, how := range instrumented {
		if plain[test] != how && s.differ[test] == "" {
			t.Errorf("%s: %s instrumented, else %q", test, how, plain[test])
		}
	}
	for test := range plain {
		if instrumented[test] == "" {
			t.Errorf("%s did not run instrumented", test)
		}
	}
}

// covered runs the tests under cmd/cover, and returns how often each function was called, and how
// the tests ended.
func (s *subject) covered(t *testing.T, dir string) (calls map[string]int, results map[string]string) {
	profile := filepath.Join(t.TempDir(), "cover")
	args := append([]string{"go", "test", "-json", "-count=1", "-covermode=count", "-coverpkg=" + strings.Join(s.packages, ","), "-coverprofile=" + profile}, s.packages...)
	out, said := run(t, dir, args...)
	results = outcomes(t, out)
	f, err := os.Open(profile)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	defer f.Close()
	blocks := map[string]map[position]block{} // of each file, by where they begin
	for lines := bufio.NewScanner(f); lines.Scan(); {
		file, rest, ok := strings.Cut(lines.Text(), ":")
		var p, end position
		var statements, count int
		if n, _ := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &p.line, &p.column, &end.line, &end.column, &statements, &count); !ok || n < 6 {
			continue // mode: count
		}
		if blocks[file] == nil {
			blocks[file] = map[position]block{}
		}
		if b, ok := blocks[file][p]; !ok || b.end == end { // counted by the tests of each package
			blocks[file][p] = block{end, b.count + count}
		}
	}
	calls = map[string]int{}
	for file, found := range blocks {
		sorted := slices.SortedFunc(maps.Keys(found), position.compare)
		for _, f := range functionsOf(t, sourceOf(t, dir, file), path.Dir(file)) {
			// Until Go 1.26 the first block begins with the body, since then with the code in it.
			i, _ := slices.BinarySearchFunc(sorted, f.begin, position.compare)
			if i < len(sorted) && sorted[i].compare(f.end) < 0 { // some functions without statements are not counted
				calls[f.name] += found[sorted[i]].count
			}
		}
	}
	return calls, results
}

type position struct{ line, column int }

func (p position) compare(q position) int {
	return cmp.Or(cmp.Compare(p.line, q.line), cmp.Compare(p.column, q.column))
}

// block is a part of a source that cmd/cover counts.
type block struct {
	end   position
	count int
}

// function is the place of a function's body.
type function struct {
	name       string
	begin, end position
}

// sourceOf returns the path of a file that a profile names by its package.
func sourceOf(t *testing.T, dir, file string) string {
	t.Helper()
	out, _ := run(t, dir, "go", "list", "-f", "{{.Dir}}", path.Dir(file))
	return filepath.Join(strings.TrimSpace(string(out)), path.Base(file))
}

// functionsOf returns the functions of a source file of a package. Literals are counted together with
// others in the same function.
func functionsOf(t *testing.T, source, pkg string) (all []function) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, source, nil, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	at := func(pos token.Pos) position {
		p := set.PositionFor(pos, false)
		return position{p.Line, p.Column}
	}
	add := func(name string, body *ast.BlockStmt) {
		all = append(all, function{name, at(body.Lbrace), at(body.Rbrace)})
	}
	for _, d := range f.Decls {
		name := pkg + ".init"
		if d, ok := d.(*ast.FuncDecl); ok {
			if d.Body == nil || d.Name.Name == "_" {
				continue
			}
			name = pkg + "."
			if d.Recv != nil {
				name += receiverOf(d.Recv.List[0].Type) + "."
			}
			name += d.Name.Name
			add(name, d.Body)
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if l, ok := n.(*ast.FuncLit); ok {
				add(name+" literals", l.Body)
			}
			return true
		})
	}
	return all
}

func receiverOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverOf(e.X)
	case *ast.ParenExpr:
		return receiverOf(e.X)
	case *ast.IndexExpr:
		return receiverOf(e.X)
	case *ast.IndexListExpr:
		return receiverOf(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}

// callsOf counts the calls of each function in a trace, under the names of functionsOf.
func callsOf(t *testing.T, trace string) map[string]int {
	f, err := os.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := format.NewScanner(bufio.NewReaderSize(f, 1<<20))
	calls := map[int32]int{}
	var known *format.Context
	var p format.Point
	for s.Next() {
		o := s.Object()
		switch o.Kind {
		case format.KindClassDescriptor, format.KindMethodDescriptor, format.KindString:
			if known == nil {
				known = format.NewContext(s.Version())
			}
			if _, _, err := known.Add(o.Bytes); err != nil {
				t.Fatal(err)
			}
		case format.KindTracePoint:
			if o.Class == format.ClassCall {
				if _, err := s.Version().DecodePoint(o.Bytes, &p); err != nil {
					t.Fatal(err)
				}
				calls[p.Ref]++
			}
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	named := map[string]int{}
	for id, n := range calls {
		m := known.Method(id)
		named[judgedName(byPath(known, known.Class(m.ClassID).Name)+"."+m.Name)] += n
	}
	return named
}

// byPath returns the name of a class with the import path of its package.
func byPath(known *format.Context, class string) string {
	for i := strings.LastIndexByte(class, '/') + 1; i < len(class); i++ {
		if class[i] == '.' || i+1 == len(class) {
			end := i + 1
			if class[i] == '.' {
				end = i
			}
			if p := known.Packages.Named(class[:end]); p != nil {
				return p.Path + class[end:]
			}
		}
	}
	return class
}

// judgedName is the name of functionsOf for that of a trace.
func judgedName(name string) string {
	for _, mark := range []string{".func", "-range"} {
		if i := strings.Index(name, mark); i >= 0 {
			name = name[:i] + " literals"
		}
	}
	outer, number, ok := strings.Cut(name, ".init.")
	if ok && strings.Trim(strings.TrimSuffix(number, " literals"), "0123456789") == "" {
		if strings.HasSuffix(number, " literals") {
			return outer + ".init literals"
		}
		return outer + ".init"
	}
	return strings.Replace(name, ".glob. literals", ".init literals", 1)
}
