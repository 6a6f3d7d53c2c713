package cli

import (
	"bufio"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
)

func newOverviewCommand(a *app) *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:   "overview FILE",
		Short: "Show where to look first in a trace",
		Long: "Show what was recorded and how that ended, the methods with the most self time, the slowest tests or root calls, " +
			"what was thrown and not caught, and the busiest threads with their activity over time.",
		Example: `tracex overview trace.bin
tracex overview --json trace.bin | jq .uncaught`,
		Args: a.oneTrace,
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.RunE = onTrace(func(ctx context.Context, path string) error {
		return a.withTrace(ctx, path, func(in *input, r *lazy.LazyTraceReader) error {
			o := query.NewOverview(r, 0)
			p := a.newProgress("reading")
			err := o.Run(ctx, p.Update)
			p.End()
			if err != nil {
				return err
			}
			if err := a.remarkFiles(r); err != nil {
				return err
			}
			f := o.Facts(&display.Unicode)
			if asJSON {
				err = writeJSON(a.stdout, overviewOf(in.name, &f))
			} else {
				err = a.printOverview(in.name, &f)
			}
			if err != nil {
				return err
			}
			return r.Status().Problem // reported after the facts
		})
	})
	return c
}

// printOverview prints an overview for a person, in a terminal as wide as that.
func (a *app) printOverview(name string, f *query.OverviewFacts) error {
	w := bufio.NewWriter(a.stdout)
	width, g := a.width(), &display.Unicode
	for i, l := range f.Lines(g) {
		text := l.Text
		switch {
		case i == 0:
			text = name + " " + g.Dot + " " + text
		case l.Head:
			w.WriteByte('\n')
			if l.Command != "" {
				answer, what, ok := strings.Cut(l.Command, " ")
				if text += " " + g.Dot + " tracex " + answer; ok {
					text += " '" + what + "'"
				}
			}
		}
		if text = printable(text); width > 0 {
			text = g.CutEnd(text, width)
		}
		w.WriteString(text + "\n")
	}
	return w.Flush()
}

// overviewFacts are the output of overview as JSON. Programs rely on the names of the members: never change one.
type overviewFacts struct {
	Schema  int    `json:"schema"`
	File    string `json:"file"`
	Problem string `json:"problem,omitempty"`
	NoTimes string `json:"times_problem,omitempty"` // why existing times are not used
	query.OverviewFacts
}

// overviewOf returns the facts for programs.
func overviewOf(name string, f *query.OverviewFacts) *overviewFacts {
	o := &overviewFacts{Schema: 1, File: name, OverviewFacts: *f}
	if f.Status.Problem != nil {
		o.Problem = message(f.Status.Problem)
	}
	if f.Status.TimesReason != nil {
		o.NoTimes = message(f.Status.TimesReason)
	}
	return o
}
