package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/lazy/diff"
	"tracex/lazy/query"
)

// diffCommand is the command diff with its flags.
type diffCommand struct {
	*app
	first, stat, json, md   bool
	whole, identity         bool
	exitCode, force         bool
	by, write, noise, minus string
	sort                    string // with by
	limit, skip             int
	filters                 diffFilters
	flags                   func(name string) (changed bool)
	damage                  error         // of the traces of --noise and --minus
	next                    func() string // the command that tells the first place of the next kind
}

// diffSide is one of the two traces that are compared, or a part of it.
type diffSide struct {
	name    string // of the file, as the user gave it
	r       *lazy.LazyTraceReader
	at      place
	untimed bool // see app
}

func newDiffCommand(a *app) *cobra.Command {
	t := &diffCommand{app: a}
	c := &cobra.Command{
		Use:   "diff OLD [NEW]",
		Short: "Show what is different between two traces, or two calls",
		Long: "Show what only one trace has (- +), and other arguments, results and values (!). " +
			"Lines, numbers, times and identities make no difference: see tracex help differences. " +
			"OLD alone is a diff that --write or Lincheck stored.",
		Example: `tracex diff 'trace.bin#46' '#84'          # two calls of one trace
tracex diff --exit-code old.bin new.bin   # 5 if there are differences`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 3 || slices.Contains(args, "") {
				return &usageError{"diff needs two traces, or two calls of one", c.CommandPath() + " OLD NEW, or FILE '#46' '#84'"}
			}
			return nil
		},
		Annotations: map[string]string{answerMark: "yes"},
	}
	t.addFlags(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := t.check(c); err != nil {
			return err
		}
		ctx := c.Context()
		t.next = func() string { return nextSkip(c, args, t.skip) }
		if len(args) == 1 {
			return t.showStored(ctx, args[0])
		}
		return t.withSides(ctx, args, func(a, b diffSide) error { return t.run(ctx, a, b) })
	}
	return c
}

func (t *diffCommand) addFlags(c *cobra.Command) {
	f := c.Flags()
	t.flags = f.Changed
	f.BoolVar(&t.first, "first", false, "only the first place where they part, at once")
	f.IntVar(&t.skip, "skip", 0, "with --first: the first of the kind that follows N others")
	f.BoolVar(&t.stat, "stat", false, "only counts: equal calls; places edited, removed, added, moved")
	f.StringVar(&t.by, "by", "", "rows: kind or method of changes; time: what took longer")
	f.BoolVar(&t.json, "json", false, "one JSON object per line and change")
	f.BoolVar(&t.md, "md", false, "Markdown for a pull request")
	f.IntVarP(&t.limit, "limit", "n", 50, "print at most N changes; 0 for all")
	f.StringVar(&t.filters.where, "where", "", "only changes that match a filter: 'pkg=com.shop.*'")
	f.StringArrayVar(&t.filters.ignore, "ignore", nil, "leave out changes that match; repeatable, or in "+diff.IgnoreFile)
	f.StringVar(&t.noise, "noise", "", "ignore kinds of change between OLD and this second recording")
	f.StringVar(&t.write, "write", "", "write both traces, with marks, to a packed trace in Lincheck's format")
	f.BoolVar(&t.exitCode, "exit-code", false, "exit with 5 if there are differences")
	rare := func(names ...string) {
		for _, name := range names {
			f.Lookup(name).Annotations = map[string][]string{rareMark: nil}
		}
	}
	f.StringVar(&t.sort, "sort", "", "order: with --by time "+strings.Join(query.TopDiffSorts, ", ")+"; with --by kind "+strings.Join(kindSorts, ", "))
	f.StringVar(&t.minus, "minus", "", "ignore kinds of change that also occur between two other traces, OLD,NEW of a passing run")
	f.StringVar(&t.filters.file, "ignore-file", "", "file with filters to ignore, '' for none; default "+diff.IgnoreFile+" beside NEW or above")
	f.BoolVar(&t.identity, "identity", false, "treat different objects as different, numbered by first appearance in the thread")
	f.BoolVar(&t.whole, "whole", false, fmt.Sprintf("all of what only one trace has; otherwise its first %d rows", mostWholeRows))
	f.BoolVar(&t.force, "force", false, "with --write: replace an existing file")
	rare("sort", "minus", "skip", "write", "ignore-file", "identity", "whole", "force")
	complete(c, "by", diffBys...)
	complete(c, "sort", slices.Concat(query.TopDiffSorts, kindSorts)...)
}

// check refuses flags that contradict each other, before anything is read.
func (t *diffCommand) check(c *cobra.Command) error {
	if err := cmp.Or(tooSmall(c.Flags(), "limit", int64(t.limit), 0), tooSmall(c.Flags(), "skip", int64(t.skip), 0)); err != nil {
		return err
	}
	if err := t.checkBy(); err != nil {
		return err
	}
	if t.minus != "" && strings.Count(t.minus, ",") != 1 {
		return &usageError{"--minus needs two traces", "--minus pass.old.bin,pass.new.bin"}
	}
	shapes := []string{"first", "stat", "by", "md"}
	for i, one := range shapes {
		for _, other := range shapes[i+1:] {
			if t.flags(one) && t.flags(other) {
				return &usageError{"--" + one + " and --" + other + " exclude each other", ""}
			}
		}
	}
	if t.first {
		for _, name := range []string{"write", "limit", "whole", "force"} {
			if t.flags(name) {
				return &usageError{"--first and --" + name + " exclude each other", "--first prints one place"}
			}
		}
	} else if t.flags("skip") {
		return &usageError{"--skip needs --first", ""}
	}
	if t.md && t.json {
		return &usageError{"--md and --json exclude each other", ""}
	}
	return t.filters.parse()
}

// diffBys are the values of --by, kindSorts those of --sort with --by kind.
var (
	diffBys   = []string{"kind", "method", "time"}
	kindSorts = []string{"places", "change", "what", "time"}
)

// checkBy refuses unknown tables and orders, and flags that mean nothing for them.
func (t *diffCommand) checkBy() error {
	if t.by != "" && !slices.Contains(diffBys, t.by) {
		return &usageError{"--by must be " + oneOf(diffBys) + ", not " + t.by, ""}
	}
	if sorts := map[string][]string{"kind": kindSorts, "time": query.TopDiffSorts}[t.by]; t.flags("sort") && !slices.Contains(sorts, t.sort) {
		if sorts == nil {
			return &usageError{"--sort needs --by kind or --by time", ""}
		}
		return &usageError{"--sort with --by " + t.by + " must be " + oneOf(sorts) + ", not " + t.sort, ""}
	}
	if t.by != "time" {
		return nil
	}
	for _, name := range []string{"noise", "minus", "ignore", "ignore-file", "identity", "whole", "write", "force", "exit-code"} {
		if t.flags(name) {
			return &usageError{"--by time and --" + name + " exclude each other", "--by time compares how long methods took, not what they did"}
		}
	}
	return nil
}

// withSides opens what the arguments name: two traces, or one with two places.
func (t *diffCommand) withSides(ctx context.Context, args []string, use func(a, b diffSide) error) error {
	a, b := diffSide{}, diffSide{}
	a.name, a.at = splitPlace(args[0])
	last := args[len(args)-1]
	h, isPlace := lazy.ParseHandle(last)
	one := len(args) == 3 || isPlace && !exists(last)
	switch {
	case len(args) == 3:
		if a.at.given {
			return &usageError{a.at.handle.String() + " and " + args[1] + " exclude each other", "both name the first place"}
		}
		first, err := placeArgument(args[1])
		if err != nil {
			return err
		}
		if h, err = placeArgument(last); err != nil {
			return err
		}
		a.at = place{first, true}
	case !isPlace || exists(last):
		b.name, b.at = splitPlace(last)
	case !a.at.given:
		return &usageError{last + " is a place, but of " + a.name + " none is named", "tracex diff '" + a.name + "#46' '" + last + "'"}
	}
	if one {
		b.name, b.at = a.name, place{h, true}
	}
	if a.name == "-" && b.name == "-" && !one {
		return &usageError{"both traces are standard input", "write one to a file first"}
	}
	if a.at.given != b.at.given {
		return &usageError{"a part of one trace and all of the other", "name a place in both, or in neither"}
	}
	return t.withTrace(ctx, a.name, func(_ *input, r *lazy.LazyTraceReader) error {
		a.r, a.untimed = r, t.untimed
		if one {
			b.r, b.untimed = r, t.untimed
			return use(a, b)
		}
		return t.withTrace(ctx, b.name, func(_ *input, r *lazy.LazyTraceReader) error {
			b.r, b.untimed = r, t.untimed
			return use(a, b)
		})
	})
}

// readIgnored reads the file of filters to ignore for a trace, and tells which it is.
func (t *diffCommand) readIgnored(trace string) error {
	file, n, err := t.filters.read(t.flags("ignore-file"), trace)
	if n > 0 {
		t.remark(file, errors.New(counted(int64(n), "filter")+" of changes that do not count"))
	}
	return err
}

// options returns how two sides are compared.
func (t *diffCommand) options(a, b *diffSide) diff.Options {
	o := diff.Options{Identity: t.identity}
	if a.at.given {
		o.A, o.B = &a.at.handle, &b.at.handle
	}
	return o
}

// run compares two sides and prints what differs. Of damaged traces it compares what is intact, and reports the damage after it.
func (t *diffCommand) run(ctx context.Context, a, b diffSide) error {
	if t.by == "time" {
		return damagedAfter(t.showTimes(ctx, a, b), a, b)
	}
	err := t.readIgnored(b.name)
	if err != nil {
		return err
	}
	if t.first && t.skip == 0 && t.filters.only == nil && t.noise == "" && t.minus == "" {
		if told, err := t.streamFirst(ctx, a, b); told || err != nil {
			return damagedAfter(err, a, b)
		}
	}
	o := t.options(&a, &b)
	if o.Quiet, err = t.quiet(ctx, a); err != nil {
		return err
	}
	d := diff.New(a.r, b.r, o)
	err = t.compare(ctx, d)
	if err == nil {
		err = t.remarkSides(a, b)
	}
	if err == nil && t.write != "" {
		err = t.pack(ctx, d)
	}
	if err == nil {
		err = t.report(ctx, d, a, b)
	}
	return damagedAfter(errors.Join(err, d.Close(), t.damage), a, b)
}

// remarkSides is remarkFiles for both traces.
func (t *diffCommand) remarkSides(a, b diffSide) error {
	t.untimed = a.untimed
	err := t.remarkFiles(a.r)
	if t.untimed = b.untimed; err == nil && b.r != a.r {
		err = t.remarkFiles(b.r)
	}
	return err
}

// damagedAfter joins an error with the damage of the traces.
func damagedAfter(err error, a, b diffSide) error {
	problems := []error{err, a.r.Status().Problem}
	if b.r != a.r {
		problems = append(problems, b.r.Status().Problem)
	}
	return errors.Join(problems...)
}

// compare runs a diff.
func (t *diffCommand) compare(ctx context.Context, d *diff.Diff) error {
	p := t.newProgress("comparing")
	defer p.End()
	return rawHint(d.Run(ctx, p.Update))
}

// pack writes both traces to a file.
func (t *diffCommand) pack(ctx context.Context, d *diff.Diff) error {
	p := t.newProgress("writing")
	defer p.End()
	if err := d.Pack(ctx, t.write, diff.PackOptions{Level: 6, Mode: 0o666, Replace: t.force}, p.Update); err != nil {
		return err
	}
	fmt.Fprintln(t.stderr, t.write)
	return nil
}

// quiet returns the kinds of differences that do not count: those between old and another recording of it, and those between the
// traces of --minus.
func (t *diffCommand) quiet(ctx context.Context, old diffSide) (map[uint64]bool, error) {
	kinds := make(map[uint64]bool)
	between := func(a, b *lazy.LazyTraceReader) error {
		d := diff.New(a, b, diff.Options{Identity: t.identity})
		err := t.compare(ctx, d)
		if err == nil {
			d.Groups(kinds)
		}
		return errors.Join(err, d.Close())
	}
	if t.noise != "" {
		if err := t.aside(ctx, t.noise, func(r *lazy.LazyTraceReader) error { return between(old.r, r) }); err != nil {
			return nil, err
		}
	}
	if first, second, ok := strings.Cut(t.minus, ","); ok {
		err := t.aside(ctx, first, func(a *lazy.LazyTraceReader) error {
			return t.aside(ctx, second, func(b *lazy.LazyTraceReader) error { return between(a, b) })
		})
		if err != nil {
			return nil, err
		}
	}
	return kinds, nil
}

// aside is withTrace for a trace that only tells what does not count. Of a damaged one it uses what is intact; the damage is
// reported after the comparison.
func (t *diffCommand) aside(ctx context.Context, path string, use func(r *lazy.LazyTraceReader) error) error {
	used := false
	untimed := t.untimed // of the trace opened before, which is still to be told of
	err := t.withTrace(ctx, path, func(_ *input, r *lazy.LazyTraceReader) error {
		err := use(r)
		used = err == nil
		return errors.Join(err, r.Status().Problem)
	})
	t.untimed = untimed
	if used { // so the rest is damage, here or in the file that the trace was converted from
		t.damage = errors.Join(t.damage, err)
		return nil
	}
	return err
}

// found finds the changes in the opened diff that count.
func (t *diffCommand) found(ctx context.Context, r *lazy.LazyTraceReader, took tookOf, a, b diffSide) (*query.Differences, error) {
	scope := query.Scope{Raw: true} // what was compared; folding takes two iterations of one number for one
	e, err := t.filters.of(r, a, b)
	if err == nil {
		err = filterError(scope.Where(ctx, r, e))
	}
	if err != nil {
		return nil, err
	}
	return t.differences(ctx, r, scope, took)
}

// tookOf returns how long an event of a diff took on both sides; see [query.Differences].
type tookOf = func(event int32) ([2]int64, error)

// differences finds the changes of a scope. took may be nil.
func (t *diffCommand) differences(ctx context.Context, r *lazy.LazyTraceReader, scope query.Scope, took tookOf) (*query.Differences, error) {
	found := query.NewDifferences(r, scope)
	found.Took = took
	pass := scope.Over(found)
	p := t.newProgress("reading")
	pass.Progress = p.Update
	err := r.Pass(ctx, pass)
	p.End()
	found.Finish()
	return found, err
}
