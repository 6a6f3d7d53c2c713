package uftrace

import (
	"path"
	"regexp"
	"strings"
)

// maxRules bounds the specifications that a user gave.
const maxRules = 1 << 12

// rules tell which values were recorded with the calls of a function: uftrace applies those in info
// one after the other, for arguments and then for results.
type rules struct {
	machine *info
	phases  []phase
	// Of library functions, by name.
	args, results map[string][]spec
	enums         enums
}

// phase is a list of specifications for either arguments or results.
type phase struct {
	rules   []rule
	results bool
	auto    bool // applies to functions that have no specification yet
}

// rule is name@arg1/s,arg2 or name@libx.so,arg1 or name alone, which takes what is known of the
// function from its debug information or else the table of library functions.
type rule struct {
	pattern pattern
	module  string // the beginning of a file's name; "" for any
	plt     bool   // functions that the program calls in other files
	specs   []spec
}

func newRules(machine *info) *rules {
	r := &rules{machine: machine, enums: make(enums)}
	r.enums.parse(machine.autoEnum)
	r.args, r.results = r.table(machine.autoArg, false), r.table(machine.autoRet, true)
	r.add(machine.argSpec, false)
	r.add(machine.retSpec, true)
	if strings.Contains(machine.argSpec, "retval") {
		r.add(machine.argSpec, true) // as older versions wrote them
	}
	if machine.autoArgs {
		all := []rule{{pattern: newPattern(".", &info{})}}
		r.phases = append(r.phases, phase{all, false, true}, phase{all, true, true})
	}
	return r
}

// add adds a list of specifications.
func (r *rules) add(text string, results bool) {
	p := phase{results: results}
	for one := range strings.SplitSeq(text, ";") {
		if one == "" {
			continue
		}
		if len(p.rules) >= maxRules {
			break
		}
		if next, ok := r.rule(one, results); ok {
			p.rules = append(p.rules, next)
		}
	}
	if len(p.rules) > 0 {
		r.phases = append(r.phases, p)
	}
}

// actions are the words of a specification that say something else than values.
var actions = []string{"filter", "notrace", "depth=", "time=", "size=", "caller", "hide", "trace", "finish", "callsite",
	"read=", "color=", "backtrace", "recover", "auto-args", "clear", "if:"}

// rule parses one specification.
func (r *rules) rule(text string, results bool) (one rule, ok bool) {
	name, list, _ := strings.Cut(text, "@")
	module := ""
	for word := range strings.SplitSeq(list, ",") {
		lower := strings.ToLower(word)
		isArg, isResult := strings.HasPrefix(lower, "arg") || strings.HasPrefix(lower, "fparg"), strings.HasPrefix(lower, "retval")
		switch {
		case isArg && !results, isResult && results:
			s, ok := parseSpec(word, r.machine)
			if !ok || len(one.specs) >= maxValues {
				return one, false
			}
			one.specs = append(one.specs, s)
		case isArg, isResult, word == "", hasPrefix(lower, actions):
			// Of the other phase, or nothing about values.
		case module == "":
			module = word
		}
	}
	switch { // a file's name, or a word for several files
	case strings.EqualFold(module, "PLT"):
		one.plt = true
	case strings.EqualFold(module, "kernel"):
		return one, false
	default:
		one.module = module
	}
	one.pattern = newPattern(demangle(name), r.machine)
	return one, true
}

func hasPrefix(word string, list []string) bool {
	for _, p := range list {
		if strings.HasPrefix(word, p) {
			return true
		}
	}
	return false
}

// table parses the specifications of library functions.
func (r *rules) table(text string, results bool) map[string][]spec {
	table := make(map[string][]spec)
	for one := range strings.SplitSeq(text, ";") {
		name, list, _ := strings.Cut(one, "@")
		if specs := r.specs(list, results); len(specs) > 0 {
			name = demangle(name)
			table[name] = merge(table[name], specs, true)
		}
	}
	return table
}

// specs parses the specifications of a function. None is returned if one is not understood.
func (r *rules) specs(list string, results bool) (specs []spec) {
	for word := range strings.SplitSeq(strings.TrimPrefix(list, "@"), ",") {
		s, ok := parseSpec(word, r.machine)
		if !ok || len(specs) >= maxValues {
			return nil
		}
		if results == (s.index == 0) {
			specs = append(specs, s)
		}
	}
	return specs
}

// of returns the layout of the function at an address of a mapped file; names are the symbols there.
func (r *rules) of(names symbols, m *mapping, s *session, known described) (l layout) {
	// The recorder keeps arguments and results in one list, in which one may replace another.
	var all []spec
	var has [2]bool // arguments, results
	for i := range r.phases {
		p := &r.phases[i]
		which := 0
		if p.results {
			which = 1
		}
		for j := range p.rules {
			rule := &p.rules[j]
			if !rule.applies(m, s) {
				continue
			}
			for k := range names {
				if rule.plt && names[k].kind != symbolPLT || !rule.pattern.matches(names[k].name) {
					continue
				}
				specs := rule.specs
				if len(specs) == 0 {
					specs = r.known(names[k].name, known, p.results)
				}
				// What the user said of a function replaces what is known of it.
				if len(specs) == 0 || p.auto && has[which] {
					continue
				}
				all = merge(all, specs, rule.pattern.of == nil)
				has[which] = true
			}
		}
	}
	for _, s := range all {
		if s.index == 0 {
			l.results = append(l.results, s)
		} else {
			l.args = append(l.args, s)
		}
	}
	return l
}

// applies reports whether a rule is about the functions of a mapped file.
func (r *rule) applies(m *mapping, s *session) bool {
	switch {
	case r.plt:
		return m.path == s.program
	case r.module == "":
		return true
	}
	if first := s.firstNamed(r.module); first != nil {
		return first.path == m.path
	}
	return strings.HasPrefix(path.Base(m.path), r.module)
}

// known returns what is known of a function without a user's specification.
func (r *rules) known(name string, f described, results bool) []spec {
	text, table := f.args, r.args
	if results {
		text, table = f.result, r.results
	}
	if text != "" {
		if specs := r.specs(text, results); len(specs) > 0 {
			return specs
		}
	}
	return table[name]
}

// merge adds specifications to a list: one for the same value replaces an earlier one, unless that
// was given for the function by name and this one by a pattern.
func merge(list, more []spec, exact bool) []spec {
next:
	for _, s := range more {
		s.exact = exact
		for i := range list {
			if old := &list[i]; s.replaces(old) {
				if exact || !old.exact {
					s.index = old.index
					*old = s
				}
				continue next
			}
		}
		if len(list) < maxValues {
			list = append(list, s)
		}
	}
	return list
}

// patternLetters make a name a pattern.
const patternLetters = `.?*+-^$|()[]{}`

// pattern matches names of functions.
type pattern struct {
	name string         // if it is a name
	of   *regexp.Regexp // nil for a name
}

// newPattern makes a pattern of the kind that the recording used. One that is none matches the name
// that it is.
func newPattern(text string, machine *info) pattern {
	p := pattern{name: text}
	switch {
	case machine.simple || !strings.ContainsAny(text, patternLetters):
	case machine.glob:
		p.of, _ = regexp.Compile(fromGlob(text))
	case strings.HasPrefix(text, "operator "): // operator new[]
	default:
		p.of, _ = regexp.Compile(text)
	}
	return p
}

func (p *pattern) matches(name string) bool {
	if p.of == nil {
		return p.name == name
	}
	return p.of.MatchString(name)
}

// fromGlob translates a shell's pattern to a regular expression.
func fromGlob(glob string) string {
	var b strings.Builder
	b.WriteString(`(?s)^`)
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; c {
		case '*':
			b.WriteString(`.*`)
		case '?':
			b.WriteByte('.')
		case '\\':
			if i++; i < len(glob) {
				b.WriteString(regexp.QuoteMeta(glob[i : i+1]))
			}
		case '[':
			set, size := bracket(glob[i:])
			b.WriteString(set)
			i += size - 1
		default:
			b.WriteString(regexp.QuoteMeta(glob[i : i+1]))
		}
	}
	b.WriteByte('$')
	return b.String()
}

// bracket translates the set of letters that a text begins with, and returns its size. One that is not
// closed is a letter.
func bracket(text string) (set string, size int) {
	from := 1
	if strings.HasPrefix(text[from:], "!") {
		from++
	}
	rest := text[min(from+1, len(text)):] // a bracket that closes at once is an element
	end := strings.IndexByte(rest, ']')
	if end < 0 {
		return `\[`, 1
	}
	letters := strings.ReplaceAll(text[from:from+1+end], `\`, `\\`)
	if from > 1 {
		letters = "^" + letters
	}
	return "[" + letters + "]", from + 1 + end + 1
}
