package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tracePackages are the directories outside format whose code handles the bytes of traces.
var tracePackages = []string{"lazy", "recorder"}

// otherBytes are the directories among them that handle other bytes.
var otherBytes = map[string]string{
	"lazy/internal/decode/":    "numbers of summaries and of tables that are kept",
	"lazy/internal/summary/":   "summaries, whose package comment has their bytes",
	"recorder/perfetto/":       "packets of Perfetto and its shared memory",
	"recorder/internal/":       "the same, clocks, and the memory that a killed program leaves",
	"recorder/instrument/":     "what instrumented programs record",
	"lazy/export/":             "the files of other tools",
	"recorder/convert/chrome/": "letters of JSON",
	"recorder/convert/spool/":  "records that wait to be written",
}

// otherNumbers are expressions whose numbers are not about bytes of a trace, in any file.
var otherNumbers = map[string]string{
	"made[:2]":        "the first two of some files",
	"all[:2]":         "the first two of some files",
	"fields[4]":       "a column of /proc/locks",
	"fields[5]":       "a column of /proc/locks",
	"slot.Mem[8:]":    "the memory that a killed program leaves",
	"s.chunks[0][:2]": "positions that an arena does not use",
	"name[:4]":        "the beginning of a name",
}

// otherLists are the names of lists whose elements are no bytes, in any file.
var otherLists = map[string]string{
	"row":       "cells of a table, or numbers of letters",
	"rows":      "such rows",
	"Columns":   "columns of a table",
	"stack":     "calls around a trace point",
	"best":      "names",
	"field":     "fields of a Go struct",
	"kindWords": "words of the filter language",
}

// otherText are expressions in a file that are about letters.
var otherText = map[string]string{
	"lazy/query/nearest/nearest.go: b[j - 2]":      "a letter",
	"lazy/query/nearest/nearest.go: a[i - 2]":      "a letter",
	"lazy/query/nearest/nearest.go: before[j - 2]": "numbers of edits",
	"lazy/query/filter/lex.go: s[1:5]":             "the digits of an escaped letter",
	"lazy/query/filter/lex.go: rest[1:2]":          "the digit after #",
	"lazy/query/pattern/pattern.go: escape[2:]":    "the digits of an escaped letter",
	"lazy/internal/walk/search_pieces.go: b[8:]":   "eight letters at a time",
}

// TestOffsetsAreNamed checks that no byte offset of the format is a literal number outside
// package format: see its layout.go.
func TestOffsetsAreNamed(t *testing.T) {
	checked := 0
	for _, root := range tracePackages {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			for folder := range otherBytes {
				if strings.HasPrefix(filepath.ToSlash(path), folder) {
					return nil
				}
			}
			checked++
			for _, fault := range offsetFaults(t, path, nil) {
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
}

// TestOffsetsAreNamedFindsFaults shows that the rule can fail, and what it allows.
func TestOffsetsAreNamedFindsFaults(t *testing.T) {
	for source, faults := range map[string]int{
		"x = binary.BigEndian.Uint32(b[10:])":   1,
		"x = p.data[at+10:]":                    1,
		"x = b[15]":                             1,
		"x = b[:n+8]":                           1,
		"x = cell.Start + 5":                    1,
		"x = base - 5":                          1,
		"x = b[i+2*n+4]":                        1,
		"x = binary.NativeEndian.Uint32(b[8:])": 0, // the format is big-endian
		"x = fields[5]":                         0,
		"x = row[5]":                            0,
		"x = rest[1:2]":                         1, // not in this file
		"x = b[0]":                              0, // the kind
		"x = b[len(b)-1]":                       0,
		"x = b[format.PointEventAt:]":           0,
		"x = make([]byte, n+8)":                 0,
		"x = [4]int{}":                          0,
		"x = b[len(b)/2:]":                      0,
		"x = b[:min(len(b), 512)]":              0,
		"x = cell.Start + 1":                    0,
		"x = depth + 4":                         0,
	} {
		found := offsetFaults(t, "x.go", "package x\nfunc f() { "+source+" }\n")
		if len(found) != faults {
			t.Errorf("%s: %v, want %d", source, found, faults)
		}
	}
}

// offsetFaults returns the positions in a file where a number of at least 2 is added to an
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
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if f := types.ExprString(n.Fun); strings.HasPrefix(f, "binary.NativeEndian.") || strings.HasPrefix(f, "binary.LittleEndian.") {
				return false // the format is big-endian
			}
		case *ast.IndexExpr:
			if v := number(n.Index); v != "" && !other(path, n, n.X) {
				fault(n, "offset "+v+" of an index")
			}
		case *ast.SliceExpr:
			for _, bound := range []ast.Expr{n.Low, n.High, n.Max} {
				if v := number(bound); v != "" && !other(path, n, n.X) {
					fault(n, "offset "+v+" of a slice")
				}
			}
		case *ast.BinaryExpr:
			if v := literal(n.Y); v != "" && (n.Op == token.ADD || n.Op == token.SUB) && slices.Contains(offsets, name(n.X)) {
				fault(n, name(n.X)+" "+n.Op.String()+" "+v)
			}
		}
		return true
	})
	return faults
}

// other reports whether an index or a slice of a list is not about bytes of a trace.
func other(path string, e, list ast.Expr) bool {
	text := types.ExprString(e)
	return otherNumbers[text] != "" || otherLists[name(list)] != "" || otherText[filepath.ToSlash(path)+": "+text] != ""
}

// offsets are the names of offsets, wherever they are used.
var offsets = []string{"Start", "End", "Offset", "physical", "base", "start", "offset"}

// number returns the number of at least 2 that e is, or that is added in e.
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

// literal returns the number of at least 2 that e is.
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
