package main

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// literals calls f for each string literal in the sources below a directory, except tests and
// generated files.
func literals(t *testing.T, dir string, f func(at token.Position, text string)) {
	t.Helper()
	found := false
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".pb.go") {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files := token.NewFileSet()
		file := files.AddFile(path, -1, len(source))
		var s scanner.Scanner
		s.Init(file, source, nil, 0)
		for {
			pos, kind, text := s.Scan()
			if kind == token.EOF {
				return nil
			}
			if kind == token.STRING {
				found = true
				f(files.Position(pos), text)
			}
		}
	})
	if err != nil || !found {
		t.Fatalf("no sources in %s: %v", dir, err)
	}
}

// TestSuffixesInOnePlace: the suffixes of a trace's files are constants of package format, and
// are literals nowhere else.
func TestSuffixesInOnePlace(t *testing.T) {
	suffix := regexp.MustCompile("^[\"`]\\.(idx|tim|live|packedtrace|recording)[\"`]$")
	inFormat := 0
	for _, dir := range []string{"cli", "format", "lazy", "recorder", "ui"} {
		literals(t, dir, func(at token.Position, text string) {
			switch {
			case !suffix.MatchString(text):
			case filepath.ToSlash(at.Filename) == "format/layout.go":
				inFormat++
			default:
				t.Errorf("%v: %s, a constant of package format", at, text)
			}
		})
	}
	if inFormat != 5 {
		t.Errorf("package format has %d suffixes, want 5", inFormat)
	}
}

// TestLibrariesNameNoCommands: advice that names a command of the program belongs to
// package cli.
func TestLibrariesNameNoCommands(t *testing.T) {
	command := regexp.MustCompile(`tracex (open|print|info|index|pack|unpack|convert|record|serve|demo)\b`)
	for _, dir := range []string{"format", "lazy", "recorder"} {
		literals(t, dir, func(at token.Position, text string) {
			if command.MatchString(text) {
				t.Errorf("%v names a command: %s", at, text)
			}
		})
	}
	named := 0
	literals(t, "cli", func(_ token.Position, text string) {
		if command.MatchString(text) {
			named++
		}
	})
	if named == 0 {
		t.Error("the pattern finds no command in package cli either")
	}
}

// mostMethods bounds the methods of a type. A type with more has parts in it that should be types.
const mostMethods = 40

// TestTypesHaveParts: no type has more than mostMethods methods, except generated ones.
func TestTypesHaveParts(t *testing.T) {
	methods := make(map[string]int)
	for _, dir := range []string{"cli", "format", "lazy", "recorder", "ui"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".pb.go") {
				return err
			}
			source, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, d := range source.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
					of, _, _ := strings.Cut(strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*"), "[")
					methods[filepath.ToSlash(filepath.Dir(path))+"."+of]++
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := methods["lazy.LazyTraceReader"]; n < 10 || len(methods) < 500 {
		t.Fatalf("%d types have methods, and the reader %d", len(methods), n)
	}
	for of, n := range methods {
		if n > mostMethods {
			t.Errorf("%s has %d methods, more than %d", of, n, mostMethods)
		}
	}
}
