package uftrace

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	mangling "github.com/ianlancetaylor/demangle"
)

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
