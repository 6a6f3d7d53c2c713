package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tracePackages are the folders outside format whose code handles the bytes of
// traces.
var tracePackages = []string{"lazy", "recorder"}

// otherBytes are the files there whose numbers are about other bytes, or none: a
// folder stands for all in it.
var otherBytes = map[string]string{
	"lazy/eager/store.go":                    "places in an arena",
	"recorder/perfetto":                      "packets of Perfetto",
	"recorder/internal/perfetto":             "packets of Perfetto and its shared memory",
	"recorder/live_":                         "the memory that a killed program leaves",
	"recorder/finish":                        "the memory that a killed program leaves",
	"recorder/internal/clock":                "readings of clocks",
	"recorder/internal/buffers":              "the memory that a killed program leaves",
	"recorder/holder_linux.go":               "columns of /proc/locks",
	"recorder/sink_files.go":                 "a list of files",
	"recorder/value.go":                      "eight characters at a time",
	"recorder/convert/spool":                 "batches of records that wait to be written",
	"recorder/convert/perfetto/packet.go":    "tags of protobuf",
	"recorder/convert/perfetto/record.go":    "records that wait in a spool",
	"recorder/convert/perfetto/arguments.go": "a name that begins with this",
}

// TestOffsetsAreNamed holds that no byte offset of the format is a number outside
// package format: see its layout.go.
func TestOffsetsAreNamed(t *testing.T) {
	used := make(map[string]bool)
	checked := 0
	for _, root := range tracePackages {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			faults := offsetFaults(t, path, nil)
			for prefix := range otherBytes {
				if strings.HasPrefix(filepath.ToSlash(path), prefix) {
					used[prefix] = used[prefix] || len(faults) > 0
					return nil
				}
			}
			checked++
			for _, fault := range faults {
				t.Error(fault)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if checked < 100 {
		t.Errorf("only %d files were looked at", checked)
	}
	for prefix := range otherBytes {
		if !used[prefix] {
			t.Errorf("%s needs no exception", prefix)
		}
	}
}

// TestOffsetsAreNamedFindsFaults shows that the rule can fail, and what it lets be.
func TestOffsetsAreNamedFindsFaults(t *testing.T) {
	for source, faults := range map[string]int{
		"x = binary.BigEndian.Uint32(b[10:])": 1,
		"x = p.data[at+10:]":                  1,
		"x = b[15]":                           1,
		"x = b[:n+8]":                         1,
		"x = cell.Start + 5":                  1,
		"x = base - 5":                        1,
		"x = b[i+2*n+4]":                      1,
		"x = b[0]":                            0, // the kind
		"x = b[len(b)-1]":                     0,
		"x = b[format.PointEventAt:]":         0,
		"x = make([]byte, n+8)":               0,
		"x = [4]int{}":                        0,
		"x = b[len(b)/2:]":                    0,
		"x = b[:min(len(b), 512)]":            0,
		"x = cell.Start + 1":                  0,
		"x = depth + 4":                       0,
	} {
		found := offsetFaults(t, "x.go", "package x\nfunc f() { "+source+" }\n")
		if len(found) != faults {
			t.Errorf("%s: %v, want %d", source, found, faults)
		}
	}
}

// offsetFaults returns the places of a file where a number from 2 on is added to an
// offset or is one.
func offsetFaults(t *testing.T, path string, source any) (faults []string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	fault := func(n ast.Node, what string) {
		faults = append(faults, fmt.Sprintf("%s: %s: name it in format/layout.go", files.Position(n.Pos()), what))
	}
	inspect := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			if v := number(n.Index); v != "" {
				fault(n, "offset "+v+" of an index")
			}
		case *ast.SliceExpr:
			for _, bound := range []ast.Expr{n.Low, n.High, n.Max} {
				if v := number(bound); v != "" {
					fault(n, "offset "+v+" of a slice")
				}
			}
		case *ast.BinaryExpr:
			if v := literal(n.Y); v != "" && (n.Op == token.ADD || n.Op == token.SUB) && slices.Contains(offsets, name(n.X)) {
				fault(n, name(n.X)+" "+n.Op.String()+" "+v)
			}
		}
		return true
	}
	ast.Inspect(file, inspect)
	return faults
}

// offsets are names of what is an offset, wherever it is used.
var offsets = []string{"Start", "End", "Offset", "physical", "base", "start", "offset"}

// number returns the number from 2 on that e is, or that is added to what is in e.
func number(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return number(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.ADD || e.Op == token.SUB {
			if v := number(e.X); v != "" {
				return v
			}
			return number(e.Y)
		}
		return ""
	}
	return literal(e)
}

// literal returns the number from 2 on that e is.
func literal(e ast.Expr) string {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.INT {
		return ""
	}
	if v, err := strconv.ParseInt(l.Value, 0, 64); err == nil && v < 2 {
		return ""
	}
	return l.Value
}

// name returns the last name of an expression: Start of cell.Start.
func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
