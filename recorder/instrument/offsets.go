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
	"path/filepath"
	"slices"
	"strings"
)

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
