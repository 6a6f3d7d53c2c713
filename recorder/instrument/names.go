package instrument

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/gonames"
)

// mostNames is how long the text with the names of packages may be: it is one argument of the linker, and one
// variable of the environment.
const mostNames = 100 << 10

// names returns the names of the packages that a command builds, as [raw.EncodePackages] does. The packages
// of the main modules and all that these import are named first, whatever the command builds: so a package
// has the same name in each recording of a module. It is "" if the go command cannot list packages: that
// may be no fault, and the build will report it otherwise.
func (t *Toolchain) names(ctx context.Context, dir string, u userFlags, patterns []string) string {
	more := slices.Clone(patterns)
	if !slices.ContainsFunc(u.packages, func(p string) bool { return strings.HasPrefix(p, "./") && strings.HasSuffix(p, "/...") }) {
		more = append(more, u.packages...) // others are among the main modules'
	}
	more = slices.DeleteFunc(more, func(p string) bool { return p == "work" || p == "" })
	if slices.ContainsFunc(more, func(p string) bool { return !strings.HasPrefix(p, ".") && !strings.HasSuffix(p, ".go") }) {
		more = append(more, "std") // the names of its packages are then the same, whichever are given
	}
	var modules, others []listedName
	var both sync.WaitGroup
	both.Go(func() { modules = t.listNames(ctx, dir, u, []string{"work"}, "-test") })
	if len(more) > 0 {
		both.Go(func() { others = t.listNames(ctx, dir, u, more) })
	}
	both.Wait()
	if text := raw.EncodePackages(named(modules, others)); len(text) <= mostNames {
		return text
	}
	return ""
}

// listedName is a package as the go command lists it.
type listedName struct {
	gonames.Package
	standard bool
	dir      string
}

// listNames lists packages and all that they import.
func (t *Toolchain) listNames(ctx context.Context, dir string, u userFlags, patterns []string, flags ...string) (all []listedName) {
	args := []string{"list"}
	if dir != "" {
		args = append(args, "-C", dir)
	}
	args = append(append(args, "-e", "-deps", "-f", "{{.ImportPath}}\t{{.Name}}\t{{.Standard}}\t{{.Dir}}"), flags...)
	c := t.command(ctx, "", append(append(args, u.lists...), patterns...)...)
	c.Env = os.Environ()
	out, err := output(c)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(out)) {
		path, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		name, rest, _ := strings.Cut(rest, "\t")
		standard, dir, _ := strings.Cut(rest, "\t")
		path, _, _ = strings.Cut(path, " ") // a variant for a test
		if name != "" && !(name == "main" && strings.HasSuffix(path, ".test")) {
			all = append(all, listedName{gonames.Package{Path: path, Name: name}, standard == "true", dir})
		}
	}
	return all
}

// files is the path of the package that the go command makes of files on the command line.
const files = "command-line-arguments"

// named names packages. Those that only the standard library can import, and those that the main modules do
// not import, get what names the others leave.
func named(modules, others []listedName) (list []raw.Package) {
	var open, closed, standard, rest []gonames.Package
	for _, p := range modules {
		if p.closed() {
			closed = append(closed, p.Package)
		} else {
			open = append(open, p.Package)
		}
	}
	as := "" // the package that the files on the command line belong to
	for _, p := range others {
		at := -1
		if p.Path == files {
			at = slices.IndexFunc(modules, func(m listedName) bool { return m.dir == p.dir && m.Name == p.Name })
		}
		switch {
		case at >= 0:
			as = modules[at].Path
		case p.standard:
			standard = append(standard, p.Package)
		default:
			rest = append(rest, p.Package)
		}
	}
	names := gonames.Names(open, closed, standard, rest)
	if as != "" {
		list = append(list, raw.Package{Path: files, Name: names[as], As: as})
	}
	commands := map[string]bool{}
	for _, p := range slices.Concat(modules, others) {
		commands[p.Path] = p.Name == "main"
	}
	for _, path := range slices.Sorted(maps.Keys(names)) {
		// A reader assumes what the path tells, and cannot always tell commands.
		if name := names[path]; name != gonames.PackageName(path) || commands[path] {
			list = append(list, raw.Package{Path: path, Name: name})
		}
	}
	return list
}

// closed reports whether only the standard library can import the package.
func (p *listedName) closed() bool {
	return p.standard && (strings.HasPrefix(p.Path, "vendor/") || slices.Contains(strings.Split(p.Path, "/"), "internal"))
}

// wanted lists the fields of the runtime that the archive reads, with the names of their offsets in
// the archive, and some sizes and constants. A field that is not needed may be missing: then its offset is 0, and what depends on
// it is not recorded.
var wanted = []struct {
	pkg, typ, field, name string
	needed                bool
}{
	{"runtime", "g", "stack.lo", "offStackLo", true},
	{"runtime", "g", "stack.hi", "offStackHi", true},
	{"runtime", "g", "goid", "offGoid", true},
	{"runtime", "g", "parentGoid", "offParent", false},
	{"runtime", "g", "gopc", "offGopc", false},
	{"runtime", "g", "startpc", "offStartpc", false},
	{"runtime", "g", "ancestors", "offAncestors", false},
	{"runtime", "g", "_panic", "offPanic", false},
	{"runtime", "_panic", "arg", "offPanicArg", true},
	{"runtime", "_panic", "link", "offPanicLink", false},
	{"runtime", "_panic", "fp", "offPanicFP", false},
	{"runtime", "_panic", "sp", "offPanicSP", false},
	{"runtime", "_panic", "goexit", "offPanicGoexit", false},
	{"runtime", "_panic", "recovered", "offPanicRecovered", false},
	{"runtime", "moduledata", "text", "offModuleText", true},
	{"runtime", "moduledata", "end", "offModuleEnd", true},
	{"runtime", "moduledata", "types", "offModuleTypes", true},
	{"runtime", "moduledata", "etypes", "offModuleEtypes", true},
	{"runtime", "moduledata", "pcHeader", "offModulePclntab", true},
	{"runtime", "moduledata", "epclntab", "offModuleEpclntab", false},
	{"runtime", "moduledata", "pclntable", "offModuleFtabBytes", false},
	{"runtime", "moduledata", "funcnametab", "offModuleNames", false},
	{"runtime", "moduledata", "ftab", "offModuleFtab", false},
	{"runtime", "_func", "nameOff", "offFuncName", false},
	{"runtime", "_func", "npcdata", "offFuncPcdata", false},
	{"runtime", "_func", "funcID", "offFuncID", false},
	{"runtime", "_func", "nfuncdata", "offFuncFuncdata", false},
	{"runtime", "_func", "", "sizeFunc", false},
	{"runtime", "g", "m", "offGM", false},
	{"runtime", "m", "p", "offMP", false},
	{"runtime", "p", "mcache", "offPCache", false},
	{"runtime", "mcache", "flushGen", "offFlushGen", false},
	{"runtime", "mspan", "sweepgen", "offSweepgen", false},
	{"runtime", "mspan", "allocBits", "offAllocBits", false},
	{"internal/abi", "FuncIDWrapper", "", "funcIDWrapper", false},
	{"internal/abi", "FUNCDATA_InlTree", "", "funcdataInlTree", false},
	{"internal/abi", "MapType|SwissMapType", "", "mapTypeSize", false}, // the latter until Go 1.25
	{"internal/abi", "MapType|SwissMapType", "Key", "offMapKey", false},
	{"internal/abi", "MapType|SwissMapType", "Elem", "offMapElem", false},
	{"internal/abi", "MapType|SwissMapType", "Group", "offMapGroup", false},
	{"internal/runtime/maps", "Map", "", "sizeMap", false},
	{"internal/runtime/maps", "Map", "dirPtr", "offMapDir", false},
	{"internal/runtime/maps", "Map", "dirLen", "offMapDirLen", false},
	{"internal/runtime/maps", "Map", "writing", "offMapWriting", false},
	{"internal/runtime/maps", "table", "", "sizeTable", false},
	{"internal/runtime/maps", "table", "groups.data", "offTableGroups", false},
	{"internal/runtime/maps", "table", "groups.lengthMask", "offTableMask", false},
	{"runtime", "mspan", "elemsize", "offElemSize", false},
}

// runtimeOffsets returns the offsets as a file of the archive. It fills in which fields are
// missing, and which packages the runtime imports.
func runtimeOffsets(ctx context.Context, t *Toolchain, tools *Tools) ([]byte, error) {
	packages, err := checkRuntime(ctx, t)
	if err != nil {
		return nil, err
	}
	tools.Never = slices.Sorted(maps.Keys(packages))
	sizes := types.SizesFor("gc", t.Arch)
	var out bytes.Buffer
	out.WriteString("package tracexrt\n\nconst (\n")
	for _, w := range wanted {
		name := w.typ
		if w.field != "" {
			name += "." + w.field
		}
		off, err := int64(0), error(nil)
		if !slices.Contains(tools.Missing, name) {
			off, err = offsetOf(packages[w.pkg], w.typ, w.field, sizes)
		}
		switch {
		case err != nil && w.needed:
			return nil, fmt.Errorf("the runtime of %s is not understood: %w", t.Version, err)
		case err != nil:
			tools.Missing = append(tools.Missing, name)
		}
		fmt.Fprintf(&out, "\t%s = %d\n", w.name, off)
	}
	out.WriteString(")\n")
	return out.Bytes(), nil
}

// offsetOf returns where a field is in a struct; the size of a type, or the value of a constant, if field
// is "".
func offsetOf(pkg *types.Package, typ, field string, sizes types.Sizes) (int64, error) {
	if pkg == nil {
		return 0, errors.New("a package of the runtime is missing")
	}
	var o types.Object
	for name := range strings.SplitSeq(typ, "|") {
		if o == nil {
			o = pkg.Scope().Lookup(name)
		}
	}
	if o == nil {
		return 0, fmt.Errorf("package %s has no type %s", pkg.Path(), typ)
	}
	if c, ok := o.(*types.Const); ok {
		v, exact := constant.Int64Val(c.Val())
		if !exact {
			return 0, fmt.Errorf("%s.%s is no integer", pkg.Path(), typ)
		}
		return v, nil
	}
	if field == "" {
		return sizes.Sizeof(o.Type()), nil
	}
	at, t := int64(0), o.Type()
	for name := range strings.SplitSeq(field, ".") {
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return 0, fmt.Errorf("%s.%s is not a struct", pkg.Path(), typ)
		}
		var fields []*types.Var
		found := -1
		for f := range s.Fields() {
			if f.Name() == name {
				found = len(fields)
			}
			fields = append(fields, f)
		}
		if found < 0 {
			return 0, fmt.Errorf("%s.%s has no field %s", pkg.Path(), typ, field)
		}
		at += sizes.Offsetsof(fields)[found]
		t = fields[found].Type()
	}
	return at, nil
}

// checkRuntime type-checks the declarations of package runtime, and of what it imports.
func checkRuntime(ctx context.Context, t *Toolchain) (map[string]*types.Package, error) {
	out, err := output(t.command(ctx, t.Root, "list", "-deps", "-json=ImportPath,Dir,GoFiles", "runtime"))
	if err != nil {
		return nil, err
	}
	done := map[string]*types.Package{"unsafe": types.Unsafe}
	fset := token.NewFileSet()
	conf := types.Config{
		Importer: importedOf(done), Sizes: types.SizesFor("gc", t.Arch), IgnoreFuncBodies: true, FakeImportC: true,
		Error: func(error) {}, // some declarations need what is missing here, but none of those in wanted
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir string
			GoFiles         []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return done, nil
		} else if err != nil {
			return nil, err
		}
		if p.ImportPath == "unsafe" {
			continue
		}
		var files []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
		pkg, _ := conf.Check(p.ImportPath, fset, files, nil)
		done[p.ImportPath] = pkg
	}
}

// importedOf has the packages checked so far: each is checked before those that import it.
type importedOf map[string]*types.Package

func (i importedOf) Import(path string) (*types.Package, error) {
	if p := i[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("package %s is missing", path)
}
