package filter

import (
	"iter"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"tracex/format"
)

// The names that a field can have. Each function calls yield with all names of one thing, as people
// write it: as rows and details show it, and in full.

const constructor = "<init>"

// The class of a value of kind builder, which has no class id.
const (
	builderClass     = "StringBuilder"
	fullBuilderClass = "java.lang.StringBuilder"
)

// pointerReceiver is how Go's stack traces write the type of a receiver that is a pointer.
var pointerReceiver = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(\*([^()*\s]+)\)`) })

// Plain returns the name of a method or class as rows have it if it is one as Go's stack traces write it: main.T.Do
// for main.(*T).Do, main.Set.Put for main.(*Set[...]).Put.
func Plain(name string) string {
	return pointerReceiver().ReplaceAllString(strings.ReplaceAll(name, "[...]", ""), "$1")
}

// About is what a filter must know about a trace.
type About struct {
	// Context has the names of the trace. A filter keeps it and reads it whenever it is used:
	// meanwhile objects may be added, but not at the same time.
	Context *format.Context
	// Timed tells that the trace has times.
	Timed bool
	// Growing tells that Context does not have all names yet. Then a filter may have names that
	// nothing has so far.
	Growing bool
	// Threads yields the threads with their names, "" for none. It may be nil.
	Threads iter.Seq2[int32, string]
	// Moved tells of an event of a diff whether it was moved or renamed; nil if that is not known. Any goroutine may call it.
	Moved func(event int32) (moved, renamed bool)
	// Row is a point whose captured values complete paths such as arg.req.URL; nil for none.
	Row *Facts
}

// classNames yields the names of a class.
func classNames(c *format.Context, d *format.ClassDescriptor, yield func(string) bool) bool {
	dotted := strings.ReplaceAll(d.Name, "$", ".")
	short := c.ClassName(d.ID)
	if !yield(d.Name) || short != d.Name && !yield(short) || dotted != d.Name && !yield(dotted) {
		return false
	}
	// Functions have the name of their package in the trace, and objects its import path.
	pkg := PackageOf(d.Name)
	if p := c.Packages.Named(pkg); p != nil {
		return paths(p, func(path string) bool { return yield(path + d.Name[len(pkg):]) })
	}
	p := c.Packages.At(pkg)
	return p == nil || yield(p.Name+d.Name[len(pkg):])
}

// paths yields the import path of a package, and its ends that are longer than its name.
func paths(p *format.Package, yield func(string) bool) bool {
	for path, more := p.Path, true; more && len(path) > len(p.Name); _, path, more = strings.Cut(path, "/") {
		if !yield(path) {
			return false
		}
	}
	return len(p.Path) > len(p.Name) || yield(p.Path)
}

// ImportPath returns the import path of the Go package of a class: "main" and the like if the trace does not tell it.
func ImportPath(c *format.Context, class string) string {
	pkg := PackageOf(class)
	if p := c.Packages.Named(pkg); p != nil {
		return p.Path
	}
	return pkg
}

// packageNames yields the names of the package of a class: as in the names of classes, and its import path.
func packageNames(c *format.Context, class string, yield func(string) bool) bool {
	pkg := PackageOf(class)
	if !yield(pkg) {
		return false
	}
	if p := c.Packages.Named(pkg); p != nil {
		return paths(p, yield)
	}
	p := c.Packages.At(pkg)
	return p == nil || yield(p.Name)
}

// classText yields the names of a class whose full name alone is known.
func classText(full string, yield func(string) bool) bool {
	short := full[strings.LastIndexByte(full, '.')+1:]
	for _, s := range [...]string{full, short, strings.ReplaceAll(short, "$", "."), strings.ReplaceAll(full, "$", ".")} {
		if !yield(s) {
			return false
		}
	}
	return true
}

// classNamesOf yields the names of the class with an id: one that damaged data does not describe has that which
// rows show, <class 2>.
func classNamesOf(c *format.Context, id int32, yield func(string) bool) bool {
	if d := c.Class(id); d != nil {
		return classNames(c, d, yield)
	}
	return yield(c.ClassName(id))
}

// methodNames yields the names of a method: withdraw, Account.withdraw, com.shop.Account.withdraw; of a
// constructor also new Account and, as one constructor calls another, super@Account. If signed, it
// yields them with the types of the arguments too: withdraw(int, String).
func methodNames(c *format.Context, d *format.MethodDescriptor, signed bool, yield func(string) bool) bool {
	if signed {
		plain := yield
		signatures := [...]string{Signature(d, ", ", false), Signature(d, ",", false), Signature(d, ", ", true), Signature(d, ",", true)}
		yield = func(name string) bool {
			if !plain(name) {
				return false
			}
			for _, s := range signatures {
				if !plain(name + s) {
					return false
				}
			}
			return true
		}
	}
	shown := c.MethodName(d.ID)
	if !yield(d.Name) || shown != d.Name && !yield(shown) {
		return false
	}
	return classNamesOf(c, d.ClassID, func(class string) bool {
		if d.Name == constructor && !(yield("new "+class) && yield("super@"+class)) {
			return false
		}
		return yield(class+"."+d.Name) && (shown == d.Name || yield(class+"."+shown))
	})
}

// Signature returns the types of a method's arguments in parentheses, classes by their short names
// unless full.
func Signature(d *format.MethodDescriptor, between string, full bool) string {
	var b strings.Builder
	for i, t := range d.Args {
		if i > 0 {
			b.WriteString(between)
		}
		name := t.String()
		if !full {
			name = name[strings.LastIndexByte(name, '.')+1:]
		}
		b.WriteString(name)
	}
	return "(" + b.String() + ")"
}

// namesOfField yields the names of a field: balance, Account.balance, com.shop.Account.balance.
func namesOfField(c *format.Context, d *format.FieldDescriptor, yield func(string) bool) bool {
	shown := c.FieldName(d.ID)
	if !yield(d.Name) || shown != d.Name && !yield(shown) {
		return false
	}
	return classNamesOf(c, d.ClassID, func(class string) bool {
		return yield(class+"."+d.Name) && (shown == d.Name || yield(class+"."+shown))
	})
}

func variableNames(c *format.Context, d *format.VariableDescriptor, yield func(string) bool) bool {
	shown := c.VariableName(d.ID)
	return yield(d.Name) && (shown == d.Name || yield(shown))
}

// PackageOf returns the package of a class with its full name; "" if it has none. A Go function
// that is not a method has its package in place of a class: one whose path has slashes, or whose name
// begins with a small letter.
func PackageOf(class string) string {
	slash := strings.LastIndexByte(class, '/') + 1
	if dot := strings.LastIndexByte(class[slash:], '.'); dot >= 0 {
		return class[:slash+dot]
	}
	if r, _ := utf8.DecodeRuneInString(class); slash > 0 || unicode.IsLower(r) {
		return class
	}
	return ""
}

// fileNames yields the names of a source file: as recorded, and without its directory.
func fileNames(file string, yield func(string) bool) bool {
	base := file[strings.LastIndexAny(file, `/\`)+1:]
	return yield(file) && (base == file || yield(base))
}

// threadNames yields the names of a thread: its number from 1, its name, and both as rows show them.
func threadNames(id int32, name string, yield func(string) bool) bool {
	number := strconv.Itoa(int(id) + 1)
	if !yield(number) || !yield("Thread "+number) {
		return false
	}
	own := name // without the program: see package goroutines
	if i := strings.LastIndex(name, " › "); i >= 0 {
		own = name[i+len(" › "):]
	}
	of, started := strings.CutPrefix(own, "goroutine ")
	if of, _, _ = strings.Cut(of, " "); own == "main" {
		of, started = "1", true
	}
	if started && of != "?" && !yield("g"+of) {
		return false
	}
	return name == "" || yield(name) && yield("Thread "+number+" ("+name+")")
}

// threads yields the threads of a trace with their names.
func (a *About) threads() iter.Seq2[int32, string] {
	if a.Threads == nil {
		return func(func(int32, string) bool) {}
	}
	return a.Threads
}

// names yields the names that a field can have in the trace and that may equal want.
func (a *About) names(f *Field, want string) iter.Seq[string] {
	c := a.Context
	return func(yield func(string) bool) {
		switch f.id {
		case idMethod:
			signed := strings.Contains(want, "(")
			for d := range c.Methods() {
				if d.Name != constructor && !strings.Contains(want, d.Name) && !strings.Contains(want, c.MethodName(d.ID)) {
					continue // saves making all names
				}
				if !methodNames(c, d, signed, yield) {
					return
				}
			}
		case idField:
			c.Fields()(func(d *format.FieldDescriptor) bool { return namesOfField(c, d, yield) })
		case idVar:
			c.Variables()(func(d *format.VariableDescriptor) bool { return variableNames(c, d, yield) })
		case idClass:
			for d := range c.Classes() {
				if !classNames(c, d, yield) {
					return
				}
			}
			for d := range c.Methods() {
				if c.Class(d.ClassID) == nil && !yield(c.ClassName(d.ClassID)) {
					return
				}
			}
		case idPkg:
			c.Classes()(func(d *format.ClassDescriptor) bool { return packageNames(c, d.Name, yield) })
		case idFile:
			files(c)(func(file string) bool { return fileNames(file, yield) })
		case idThread:
			a.threads()(func(id int32, name string) bool { return threadNames(id, name, yield) })
		}
	}
}

// shownNames yields for each name in the trace the form that is most like what was typed: with the
// class if like has a dot, else without.
func (a *About) shownNames(f *Field, like string) iter.Seq[string] {
	c := a.Context
	dotted := strings.ContainsAny(like, ".@ ")
	return func(yield func(string) bool) {
		switch f.id {
		case idMethod:
			for d := range c.Methods() {
				name := c.MethodName(d.ID)
				if dotted || d.Name == constructor {
					name, _ = c.CallName(d.ID, 0)
				}
				if strings.Contains(like, "(") {
					name += Signature(d, ", ", false)
				}
				if !yield(name) {
					return
				}
			}
		case idField:
			for d := range c.Fields() {
				name := c.FieldName(d.ID)
				if dotted {
					name = c.ClassName(d.ClassID) + "." + name
				}
				if !yield(name) {
					return
				}
			}
		case idClass:
			for d := range c.Classes() {
				if !yield(c.ClassName(d.ID)) || dotted && !yield(d.Name) {
					return
				}
			}
		case idThread:
			for id, name := range a.threads() {
				if name == "" {
					threadNames(id, "", func(number string) bool { name = number; return false })
				}
				if !yield(name) {
					return
				}
			}
		default:
			a.names(f, like)(yield)
		}
	}
}

// files yields the source files of a trace, each once.
func files(c *format.Context) iter.Seq[string] {
	return func(yield func(string) bool) {
		seen := make(map[int32]bool)
		for l := range c.Locations() {
			if seen[l.File] {
				continue
			}
			seen[l.File] = true
			if file, ok := c.Text(l.File); ok && file != "" && !yield(file) {
				return
			}
		}
	}
}
