package format

import (
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// What a Context keeps: a descriptor with its shown name, made once when it is added, so
// that writing the text of a point only copies. Shown names have no unpaired surrogates.

type namedString struct {
	StringObject
	shown string
}

type namedClass struct {
	ClassDescriptor
	short string
}

type namedMethod struct {
	MethodDescriptor
	shown   string
	mayFold bool
	bridge  bool // see [Context.Bridge]
	// statement: the name is that of a go statement, which needs no class.
	statement bool
	equal     bool // named EqualMethod
}

type namedField struct {
	FieldDescriptor
	shown    string
	thisLike bool
	// coverage: a name that coverage instrumentation gives a field; coveragePart: one that
	// contains such a name, as the path of an array may.
	coverage, coveragePart bool
}

type namedVariable struct {
	VariableDescriptor
	shown                  string
	thisLike               bool
	coverage, coveragePart bool
}

// namedLocation is a code location. Its text is made when it is first requested after the name
// of its file is known: it never changes after that.
type namedLocation struct {
	CodeLocation
	text atomic.Pointer[string]
}

func newNamedClass(d ClassDescriptor) namedClass {
	return namedClass{ClassDescriptor: d, short: plain(ShortClass(d.Name))}
}

func newNamedMethod(d MethodDescriptor) namedMethod {
	return namedMethod{
		MethodDescriptor: d,
		shown:            plain(strings.TrimSuffix(d.Name, "$kotlinx_coroutines_core")),
		mayFold:          foldableName(d.Name),
		bridge:           bridgeName(d.Name),
		statement:        d.Result == GoStatement && strings.HasPrefix(d.Name, "go "),
		equal:            d.Name == EqualMethod,
	}
}

// GoStatement is the result type of a method whose calls are go statements of a Go program. Its name is
// the statement, such as "go worker", and its class is that of the function with the statement. Other
// languages may have methods with such a name, but none with this type.
var GoStatement = Type{Kind: TypeObject, Class: "go"}

// Wait is the result type of a method whose calls are waits of a Go program: a goroutine was blocked from the begin of
// the call to its end. The class of the method is "wait" and its name the kind of the wait: lock, rlock, receive, send,
// select, sleep, io, cond, waitgroup … Its one argument, which may be absent, is the function that waits, such as
// "sync.(*Mutex).Lock". The result is the goroutine that ended the wait, such as "goroutine 7": void if that is not
// known, unfinished if the goroutine still waited at the end of the recording.
var Wait = Type{Kind: TypeObject, Class: "wait"}

func newNamedField(d FieldDescriptor) namedField {
	shown := strings.TrimSuffix(d.Name, "$volatile$FU")
	e := namedField{FieldDescriptor: d, shown: plain(strings.TrimPrefix(shown, "$")), thisLike: thisLike(d.Name)}
	switch d.Name {
	case coverageHits, coverageMask, coverageData:
		e.coverage = true
	}
	e.coveragePart = coveragePart(d.Name)
	return e
}

// GapPrefix begins the name of a variable whose writes say how many calls of a thread are missing there. The rest of
// the name says how many are in all threads, and for how long: "<dropped: 1200 calls in 3.5s>".
const GapPrefix = "<dropped: "

// Gaps returns what the names of such variables say: "1200 calls in 3.5s".
func Gaps(c *Context) (gaps []string) {
	for v := range c.Variables() {
		if gap, ok := strings.CutPrefix(v.Name, GapPrefix); ok {
			gaps = append(gaps, strings.TrimSuffix(gap, ">"))
		}
	}
	return gaps
}

func newNamedVariable(d VariableDescriptor) namedVariable {
	shown := strings.TrimSuffix(d.Name, "$iv")
	if shown != "$this" {
		shown = strings.TrimPrefix(shown, "$this")
	}
	return namedVariable{
		VariableDescriptor: d,
		shown:              plain(strings.TrimPrefix(shown, "$")),
		thisLike:           thisLike(d.Name),
		coverage:           d.Name == coverageLocal || d.Name == coverageHits,
		coveragePart:       coveragePart(d.Name),
	}
}

func newNamedString(o StringObject) namedString {
	return namedString{StringObject: o, shown: plain(o.Value)}
}

// plain returns s as it appears in a text: an unpaired surrogate as '?'.
func plain(s string) string {
	if strings.IndexByte(s, surrogateByte) < 0 {
		return s
	}
	return string(AppendPlain(nil, s))
}

// Names that coverage instrumentation of the JVM adds to a class.
const (
	coverageLocal = "__$coverage_local$__"
	coverageHits  = "__$hits$__"
	coverageMask  = "__$traceMask$__"
	coverageData  = "__$classData$__"
)

func coveragePart(name string) bool {
	if !strings.Contains(name, "__$") {
		return false
	}
	return strings.Contains(name, coverageLocal) || strings.Contains(name, coverageHits) ||
		strings.Contains(name, coverageMask) || strings.Contains(name, coverageData)
}

// foldableName reports whether folding may replace a call of a method of this name. Calls of
// all other methods need no look at their children.
func foldableName(name string) bool {
	return strings.HasPrefix(name, "get") || strings.HasPrefix(name, "set") ||
		bridgeName(name)
}

func bridgeName(name string) bool {
	return strings.HasSuffix(name, "$default") || strings.Contains(name, "access$")
}

// refPrefix begins the names of Kotlin's boxes for captured variables.
const refPrefix = "kotlin.jvm.internal.Ref$"

const companionSuffix = "$Companion"

// ShortClass returns the shown name for the full name of a class.
func ShortClass(full string) string {
	s := strings.TrimPrefix(full, refPrefix)
	s = withoutPackage(s)
	if strings.Contains(s, "$$Lambda") {
		// The address that the JVM gives a lambda's class is useless.
		s = beforeLast(beforeLast(s, "/"), "$")
	}
	return dotNested(s)
}

// withoutPackage returns the name of a class without its package: what follows the last dot. A dot before a slash is
// one of a Go package's import path, unless the slash is the JVM's, before the address of a hidden class. Type arguments
// of Go stay as they are.
func withoutPackage(full string) string {
	if at := strings.IndexByte(full, '['); at > 0 {
		return withoutPackage(full[:at]) + full[at:]
	}
	from := strings.LastIndexByte(full, '/') + 1
	if strings.HasPrefix(full[from:], "0x") || strings.Contains(full[:from], "$") {
		from = 0
	}
	if dot := strings.LastIndexByte(full[from:], '.'); dot >= 0 {
		return full[from+dot+1:]
	}
	return full
}

func beforeLast(s, sep string) string {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i]
	}
	return s
}

// dotNested turns each '$' between the names of nested classes into a dot. It returns s itself
// if there is none.
func dotNested(s string) string {
	var out []byte
	part := 0 // where the text since the previous '$' begins
	for i := 0; i < len(s); i++ {
		if s[i] != '$' {
			continue
		}
		if part < i && upperAt(s[part:i]) && upperAt(s[i+1:]) {
			if out == nil {
				out = []byte(s)
			}
			out[i] = '.'
		}
		part = i + 1
	}
	if out == nil {
		return s
	}
	return string(out)
}

// upperAt reports whether s begins with what Java calls an upper-case char, a
// UTF-16 unit: characters above U+FFFF are none.
func upperAt(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s != "" && r <= 0xffff && (unicode.IsUpper(r) || unicode.Is(unicode.Other_Uppercase, r))
}

// thisLike reports whether a variable or field of this name is the instance itself or an
// enclosing one. Access paths omit it.
func thisLike(name string) bool {
	i := strings.Index(name, "this")
	if i != 0 && i != 1 {
		return false
	}
	if name == "this" || name == "$this" || strings.HasPrefix(name, "this_$iv") {
		return true
	}
	if digits, ok := strings.CutPrefix(name, "this$"); ok {
		return digits != "" && strings.Trim(digits, "0123456789") == ""
	}
	rest, ok := strings.CutPrefix(name, "$this$")
	return ok && len(rest) > len("$iv") && strings.HasSuffix(rest, "$iv")
}
