package raw

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"io"
	"strings"
)

// Package is what the build of a program says about a package whose name its import path does not tell.
type Package struct {
	Path string
	Name string // by which the trace names it: no other package of the build has it
	As   string // the path to show instead of Path; "" if they are the same
}

// Packages are the packages of a program, as it describes them.
type Packages struct {
	Main string // path of its main package; "" if unknown
	List []Package
}

// mostPackages bounds the text of a list.
const mostPackages = 16 << 20

// EncodePackages returns a list as one word.
func EncodePackages(list []Package) string {
	if len(list) == 0 {
		return ""
	}
	var out bytes.Buffer
	w, _ := flate.NewWriter(&out, flate.BestCompression) // the error is for other levels
	for _, p := range list {
		_, _ = io.WriteString(w, p.Path+" "+p.Name+" "+p.As+"\n")
	}
	_ = w.Close() // a buffer does not fail
	return base64.RawURLEncoding.EncodeToString(out.Bytes())
}

// parsePackages reads the path of the main package and, after a blank, a list.
func parsePackages(text string) (*Packages, bool) {
	main, text, _ := strings.Cut(text, " ")
	ps := &Packages{Main: main}
	packed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || text == "" {
		return ps, err == nil
	}
	lines, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), mostPackages))
	for line := range strings.Lines(string(lines)) {
		path, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		name, as, ok := strings.Cut(rest, " ")
		if !ok || path == "" || name == "" {
			return ps, false
		}
		ps.List = append(ps.List, Package{path, name, as})
	}
	return ps, err == nil
}
