package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"tracex/recorder/instrument"
	"tracex/recorder/instrument/raw"
)

// buildFlags are the flags that decide what is instrumented: a change of them compiles again.
type buildFlags struct {
	packages       []string
	tests, trivial bool
}

// goMark marks flags for instrumented programs, with the name of the flag's argument. Help names
// them in few lines; tracex help go describes them.
const goMark = "go"

// mark marks flags.
func mark(f *pflag.FlagSet, arguments map[string]string) {
	for name, argument := range arguments {
		f.Lookup(name).Annotations = map[string][]string{goMark: {argument}}
	}
}

func (b *buildFlags) add(f *pflag.FlagSet) {
	f.StringArrayVarP(&b.packages, "packages", "p", nil, "packages to instrument, as patterns of go build: work (the main modules), std, net/http, example.com/x/...; repeatable. Default: work and those of the command line")
	f.BoolVar(&b.tests, "tests", true, "functions in test files, too")
	f.BoolVar(&b.trivial, "trivial", true, "functions of one or two statements without a call or loop, too")
	mark(f, map[string]string{"packages": "PATTERN", "tests": "", "trivial": ""})
}

func (b *buildFlags) options() instrument.Options {
	return instrument.Options{Packages: b.packages, Tests: b.tests, Trivial: b.trivial}
}

// callFlags are the flags that decide what an instrumented program records.
type callFlags struct {
	only, skip             []string
	depth, strings, fields int
	levels                 int
	limit, last            byteSize
	noTimes                bool
}

func (c *callFlags) add(f *pflag.FlagSet) {
	f.StringArrayVar(&c.only, "only", nil, "only these functions: 'shop.Open', 'shop.(*Order).Pay', 'shop.*', 'example.com/x/...'; repeatable")
	f.StringArrayVar(&c.skip, "skip", nil, "not these functions; repeatable")
	f.IntVar(&c.depth, "depth", 0, "pointers to follow into structs, at most 8; errors and panics have 1 at least")
	f.IntVar(&c.strings, "strings", 64, "bytes to keep of a string, at most 255")
	f.IntVar(&c.fields, "fields", 12, "fields to keep of a struct, at most 1000")
	f.IntVar(&c.levels, "levels", 0, "leave out calls nested deeper, and count them")
	f.Var(&c.limit, "limit", "what a process may write to disk before it stops recording; default: 8GiB, and a third of what is free for all")
	f.Var(&c.last, "last", "keep only the newest calls: about so much of a process's data")
	f.BoolVar(&c.noTimes, "no-times", false, "record no times")
	mark(f, map[string]string{"only": "PATTERN", "skip": "PATTERN", "depth": "N", "strings": "N", "fields": "N", "levels": "N", "limit": "SIZE", "last": "SIZE", "no-times": ""})
}

// exact returns the patterns of --only that are not meant to name functions of several packages.
func (c *callFlags) exact() (list []string) {
	for _, pattern := range c.only {
		if rest := strings.NewReplacer("(*", "", "[...]", "").Replace(pattern); !strings.Contains(rest, "*") && !strings.Contains(rest, "...") {
			list = append(list, pattern)
		}
	}
	return list
}

// check refuses values that would silently mean something else.
func (c *callFlags) check() error {
	for _, n := range []struct {
		name        string
		value, most int
	}{{"depth", c.depth, 8}, {"strings", c.strings, 255}, {"fields", c.fields, 1000}, {"levels", c.levels, 1 << 30}} {
		if n.value < 0 || n.value > n.most {
			return &usageError{fmt.Sprintf("--%s is %d", n.name, n.value), fmt.Sprintf("it must be from 0 to %d", n.most)}
		}
	}
	if least := byteSize(raw.LeastLimit); c.limit > 0 && c.limit < least {
		return &usageError{"--limit is " + c.limit.String(), "it must be at least " + least.String() + ": that has room for the first calls and the newest"}
	}
	for _, p := range append(append([]string(nil), c.only...), c.skip...) {
		if p == "" || strings.ContainsAny(p, " \t\n") {
			return &usageError{fmt.Sprintf("%q is not a pattern of functions", p), "a pattern is one word, such as 'shop.(*Order).Pay', 'shop.*' or 'example.com/x/...'"}
		}
	}
	return nil
}

const defaultLimit = 8 << 30

// reservedFor returns how many bytes stay free on the disk of a trace while programs run, for the programs
// themselves.
func reservedFor(output string) int64 {
	const most = 1 << 30
	free, _ := freeSpace(filepath.Dir(output))
	return min(most, free/8)
}

// text returns the options for the program, see raw.OptionsVariable. output is the path of the trace.
func (c *callFlags) text(output string) (string, error) {
	limit, reserve := int64(c.limit), int64(0)
	if limit == 0 {
		// The trace takes about twice the room of the raw files, which stay until it is complete.
		free, _ := freeSpace(filepath.Dir(output))
		limit, reserve = defaultLimit, free/10*7
	} else {
		reserve = reservedFor(output)
	}
	words := []string{fmt.Sprintf("depth=%d strings=%d fields=%d levels=%d limit=%d reserve=%d", c.depth, c.strings, c.fields, c.levels, limit, reserve)}
	if c.last > 0 {
		words = append(words, fmt.Sprintf("last=%d", int64(c.last)))
	}
	if c.noTimes {
		words = append(words, "times=0")
	}
	for _, p := range c.only {
		words = append(words, "only="+p)
	}
	for _, p := range c.skip {
		words = append(words, "skip="+p)
	}
	text := strings.Join(words, " ")
	if len(text) >= raw.OptionsSize {
		return "", errors.New("the patterns of --only and --skip are too long")
	}
	return text, nil
}
