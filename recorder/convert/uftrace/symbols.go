package uftrace

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	mangling "github.com/ianlancetaylor/demangle"

	"tracex/recorder/convert/fit"
)

var tooManySymbols = fit.Why("symbol that exceeds the memory for symbols", "symbols that exceed the memory for symbols")

// Limits of all symbol tables together: programs as large as a browser have a million symbols.
const (
	maxSymbols     = 8 << 20
	maxSymbolBytes = 512 << 20 // of their names
)

// The types of symbols that matter. On disk, do not change.
const (
	symbolEnd     = '?' // the end of a section, not a symbol
	symbolPLT     = 'P' // a function of another file
	symbolLetters = "?TtwPKDdvu"
)

// symbol is a function or a variable.
type symbol struct {
	address uint64 // relative to where its file is mapped
	size    uint64
	name    string
	kind    byte
}

// symbols is a symbol table, by address.
type symbols []symbol

// readSymbols reads NAME.sym. room is how many symbols, and how many bytes of names, may be added.
func (d *folder) readSymbols(name string, room *symbolRoom, left *fit.Tally) (symbols, error) {
	var table symbols
	var last symbol
	err := d.lines(name, func(line []byte) bool {
		if len(line) == 0 || line[0] == '#' {
			return true
		}
		s, ok := parseSymbol(line)
		switch {
		case !ok:
			left.Count(badLines, 1, -1)
		case strings.IndexByte(symbolLetters, s.kind) < 0, s.address == last.address && s.kind == last.kind:
			// Of no use, or another name of the same function, which uftrace leaves out as well.
		case room.symbols == 0 || room.bytes < len(s.name):
			left.Count(tooManySymbols, 1, -1)
		default:
			room.symbols, room.bytes = room.symbols-1, room.bytes-len(s.name)
			table = append(table, s)
			last = s
		}
		return true
	})
	table.arrange()
	return table, err
}

// symbolRoom is the memory that is left for symbols.
type symbolRoom struct{ symbols, bytes int }

// arrange sorts symbols, and lets those of unknown size extend to the next.
func (t symbols) arrange() {
	slices.SortStableFunc(t, func(a, b symbol) int { return cmp.Compare(a.address, b.address) })
	next := ^uint64(0)
	for i := len(t) - 1; i >= 0; i-- {
		s := &t[i]
		if i+1 < len(t) && t[i+1].address > s.address {
			next = t[i+1].address
		}
		if s.size == 0 && next != ^uint64(0) {
			s.size = next - s.address
		}
	}
}

// parseSymbol parses 0000000000001249 T fib, or, with its size, 0000000000001249 00000041 T fib.
func parseSymbol(line []byte) (s symbol, ok bool) {
	text, rest, _ := bytes.Cut(line, []byte{' '})
	address, err := strconv.ParseUint(string(text), 16, 64)
	if err != nil {
		return s, false
	}
	s.address = address
	if text, after, more := bytes.Cut(rest, []byte{' '}); more && len(text) > 1 {
		if s.size, err = strconv.ParseUint(string(text), 16, 64); err != nil {
			return s, false
		}
		rest = after
	}
	kind, name, _ := bytes.Cut(rest, []byte{' '})
	name, _, _ = bytes.Cut(name, []byte{'\t'}) // the module of the kernel
	if len(kind) != 1 || len(name) == 0 {
		return s, false
	}
	s.kind, s.name = kind[0], string(name)
	if s.name == "__sym_end" || s.name == "__dynsym_end" || s.name == "__func_end" {
		s.kind = symbolEnd
	}
	return s, true
}

// at returns the symbols at the address of the one that contains an address, or none.
func (t symbols) at(address uint64) symbols {
	end := sort.Search(len(t), func(i int) bool { return t[i].address > address })
	if end == 0 {
		return nil
	}
	start := end - 1
	for start > 0 && t[start-1].address == t[end-1].address {
		start--
	}
	// Between sections, such as the table of calls to other files and the code, there is nothing.
	for _, s := range t[start:end] {
		if s.kind == symbolEnd {
			return nil
		}
	}
	if address-t[start].address >= t[end-1].size {
		return nil
	}
	return t[start:end]
}

// demangle replaces the names of some symbols by those in the source, once they are needed.
func (t symbols) demangle() symbols {
	for i := range t {
		t[i].name = demangle(t[i].name)
	}
	return t
}

const (
	maxMangled   = 8 << 10 // bytes: the time to read a name grows with the square of its length
	maxEncodings = 128     // functions within functions, each of which is read as often as it is nested
	maxDemangled = 1 << demangledBits
	// demangledBits is the maximum length of a name; the rest is cut.
	demangledBits = 12
)

// rustHash ends a name in Rust's older scheme, which otherwise is like one in C++.
var rustHash = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`17h[0-9a-f]{16}E(\.|$)`) })

// demangle returns the name of a function in C++ or Rust as its source has it, without types of
// parameters and without arguments of templates, as uftrace shows it: std::vector::push_back. Other
// names, and those that are not understood, are returned as they are.
func demangle(name string) (short string) {
	text, _, _ := strings.Cut(name, "@") // the version of a library's function
	rust := strings.HasPrefix(text, "_R")
	if !rust && !strings.HasPrefix(text, "_Z") || len(text) > maxMangled || strings.Count(text, "Z") > maxEncodings {
		return name
	}
	defer func() {
		if recover() != nil { // the library panics where a name contradicts itself
			short = name
		}
	}()
	if rust || rustHash().MatchString(text) {
		short, err := mangling.ToString(text, mangling.NoTemplateParams, mangling.MaxLength(demangledBits))
		if err != nil {
			return name
		}
		return strings.NewReplacer("::<>", "", "<>", "").Replace(short) // what is left of arguments
	}
	tree, err := mangling.ToAST(text, mangling.NoParams, mangling.NoABITags, mangling.Verbose)
	if err != nil {
		return name
	}
	var s shortName
	s.write(tree)
	return string(s.text[:min(len(s.text), maxDemangled)])
}

// shortName is a name in C++ without types.
type shortName struct{ text []byte }

// write appends a part of a name.
func (s *shortName) write(part mangling.AST) {
	if len(s.text) > maxDemangled {
		return // substitutions make short names long
	}
	switch p := part.(type) {
	case *mangling.Qualified:
		s.write(p.Scope)
		s.text = append(s.text, "::"...)
		s.write(p.Name)
	case *mangling.Template:
		s.write(p.Name)
	case *mangling.Typed:
		s.write(p.Name)
	case *mangling.MethodWithQualifiers:
		s.write(p.Method)
	case *mangling.Constraint:
		s.write(p.Name)
	case *mangling.DefaultArg:
		s.write(p.Arg)
	case *mangling.Constructor:
		s.write(p.Name)
	case *mangling.Destructor:
		s.text = append(s.text, '~')
		s.write(p.Name)
	case *mangling.Closure:
		s.text = fmt.Appendf(s.text, "{lambda#%d}", p.Num+1)
	case *mangling.UnnamedType:
		s.text = fmt.Appendf(s.text, "{unnamed#%d}", p.Num+1)
	case *mangling.Cast:
		s.text = append(s.text, "operator(cast)"...)
	case *mangling.Special:
		if !strings.Contains(p.Prefix, "thunk") && !strings.Contains(p.Prefix, "clone") && !strings.Contains(p.Prefix, "alias") {
			s.text = append(s.text, p.Prefix...) // otherwise it is the function under another address
		}
		s.write(p.Val)
	default:
		s.text = append(s.text, mangling.ASTToString(p, mangling.NoTemplateParams, mangling.MaxLength(demangledBits))...)
	}
}
