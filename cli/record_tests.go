package cli

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"tracex/lazy"
	"tracex/lazy/notes"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/outcomes"
	"tracex/recorder/recording"
)

// defaultTests is the folder of the traces of tests.
const defaultTests = "traces"

// leastKept is the least --limit with --keep.
const leastKept = 16 << 20

// keepFlag is the flag --keep.
type keepFlag struct {
	recording.Keep
	set bool
}

func (k *keepFlag) Type() string { return "WHICH" }

func (k *keepFlag) String() string {
	switch {
	case !k.set:
		return ""
	case k.All:
		return "all"
	case k.Slow > 0:
		return "slow:" + k.Slow.String()
	}
	return "failed"
}

// Set reads failed, slow:1s or all.
func (k *keepFlag) Set(text string) error {
	*k = keepFlag{set: true}
	limit, slow := strings.CutPrefix(text, "slow:")
	switch {
	case text == "failed":
	case text == "all":
		k.All = true
	case slow:
		var err error
		if k.Slow, err = time.ParseDuration(limit); err == nil && k.Slow > 0 {
			return nil
		}
		fallthrough
	default:
		return errors.New("it is failed, all, or slow: with a duration, such as slow:1s")
	}
	return nil
}

// check refuses what does not go with the flag.
func (k *keepFlag) check(flags *pflag.FlagSet, args []string) error {
	const example = "tracex record --keep failed -- go test ./..."
	if !instrument.IsTest(args) {
		return &usageError{"--keep is for go test", example}
	}
	for _, other := range []string{"split", "no-go", "go", "list", "until", "sample", "each", "slower"} {
		if flags.Changed(other) {
			return &usageError{"--keep and --" + other + " do not go together", example}
		}
	}
	return nil
}

// runTests runs go test, and makes a trace for each of the tests that are to be kept, with a note of what it printed.
func (r *recordCommand) runTests(ctx context.Context, args []string) error {
	r.printed = new(outcomes.Reader)
	r.keep.Said = r.printed
	return r.runInstrumented(ctx, args)
}

// tellNothingKept says that no test is to be kept.
func (r *recordCommand) tellNothingKept(t *teller) {
	failures := r.printed.Failures()
	switch {
	case t.unkept: // that has been said
	case len(failures) > 0:
		r.say("there is no trace of " + failures[0].Test + ": no instrumented function was called in it, or it failed outside of the test program; -p adds packages")
	case r.keep.All || r.keep.Slow > 0:
		r.say("no test is to be kept, so there is no trace")
	default:
		r.say("no test failed, so there is no trace")
	}
}

// tellTests says which tests have a trace, and puts a note with what it printed beside each.
func (t *teller) tellTests(made []recording.Trace) {
	for i := range made {
		one := &made[i]
		var names []string
		for _, test := range one.Tests {
			names = append(names, test.Name+" "+recording.Verdicts[test.Verdict])
		}
		t.say(one.Path + ": " + strings.Join(names, ", ") + sizeOfTrace(one.Path))
		if err := t.note(one); err != nil {
			t.remark("what the test printed is not in the notes of "+one.Path, err)
		}
	}
	covered := func(f outcomes.Failure) bool {
		return strings.Contains(f.Test, "/") || slices.ContainsFunc(made, func(one recording.Trace) bool {
			return slices.ContainsFunc(one.Tests, func(test instrumented.Test) bool {
				return strings.TrimSuffix(test.Package, "_test") == strings.TrimSuffix(f.Package, "_test") && test.Name == f.Test
			})
		})
	}
	for _, f := range slices.DeleteFunc(t.failures(), covered) {
		t.say("there is no trace of " + f.Test + " of " + f.Package + ", which failed")
	}
	if len(made) > 0 {
		t.say("tracex report " + made[0].Path + " tells what happened; all are listed in " + filepath.Join(filepath.Dir(made[0].Path), recording.IndexName))
	}
}

// note puts notes about the failed tests of a trace beside it.
func (t *teller) note(one *recording.Trace) error {
	book, err := notes.Open(one.Path, notes.Options{Author: notes.FailureAuthor})
	if err != nil {
		return err
	}
	for _, test := range one.Tests {
		if test.Verdict != raw.TestFailed && test.Verdict != raw.TestBegan || test.Thread < 0 {
			continue
		}
		f := notes.Failure{Test: test.Name}
		if test.Verdict == raw.TestBegan {
			f.Why = "it had not ended when its process did"
		}
		f.Output = t.printedBy(&test)
		book.Put(f.Note(lazy.Position{Thread: test.Thread, At: -1}, -1))
	}
	return book.Save()
}

// printedBy returns what a failed test printed: each time that it is asked, the next of its failures.
func (t *teller) printedBy(test *instrumented.Test) string {
	pkg := strings.TrimSuffix(test.Package, "_test") // an external package is told as the one it tests
	if t.told == nil {
		t.told = make(map[string]int)
	}
	nth := t.told[test.Package+" "+test.Name]
	t.told[test.Package+" "+test.Name]++
	for _, f := range t.failures() {
		if f.Test != test.Name || f.Package != test.Package && f.Package != pkg {
			continue
		}
		if nth--; nth < 0 {
			return f.Output
		}
	}
	return ""
}

// failures returns what go test has said, if its output was read.
func (t *teller) failures() []outcomes.Failure {
	if t.printed == nil {
		return nil
	}
	return t.printed.Failures()
}
