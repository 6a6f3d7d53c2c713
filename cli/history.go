package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// historyCommand is the command history with its flags.
type historyCommand struct {
	*app
	answerFlags
	location, object, until, where string
}

func newHistoryCommand(a *app) *cobra.Command {
	t := &historyCommand{app: a}
	c := &cobra.Command{
		Use:   "history FILE LOCATION",
		Short: "Show the values of a field, an element, a variable or an object",
		Long: "Show all writes and reads of LOCATION, in order, with what changed: a field (Account.balance), that of one object " +
			"(Account@129378.balance), an element ([I@4711[3]), an object (Account@129378), a variable (Account.deposit:amount), or that of an event ('#1204').",
		Example: `tracex history trace.bin Account.balance --object 129378
tracex history trace.bin '#182771' --until '#182771' -n 5
tracex history trace.bin Account.deposit:amount --where 'value<0' --expect 0`,
		Args: fileAnd("location", "LOCATION; a location is such as Account.balance"),
	}
	t.add(c, "values", 50)
	c.Flags().StringVar(&t.object, "object", "", "the field of one object: Account@129378 or 129378")
	c.Flags().StringVar(&t.until, "until", "", "only up to an event, such as '#182771'; the last ones are printed")
	c.Flags().StringVar(&t.where, "where", "", "only where a filter matches, such as 'value<0'")
	c.RunE = func(c *cobra.Command, args []string) error {
		path, at := splitPlace(args[0])
		t.location = args[1]
		if err := t.check(); err != nil {
			return err
		}
		return t.ask(c, a, path, at, t.answer)
	}
	return c
}

// answer makes the history.
func (t *historyCommand) answer(ctx context.Context, r *lazy.LazyTraceReader, scope query.Scope) (x answer, err error) {
	o := query.HistoryOptions{Keep: query.MostValues}
	if t.where != "" {
		if o.Where, err = t.parse(t.where); err != nil {
			return x, err
		}
	}
	view := query.View{Done: 1, G: &display.Unicode}
	if t.until != "" {
		view.Last = t.limit
		if o.Until, err = t.point(ctx, r, t.until); err != nil {
			return x, err
		}
	}
	if o.Location, o.Here, err = t.find(ctx, r, scope.Raw); err != nil {
		return x, err
	}
	h := query.NewHistory(r, scope, o)
	return answer{run: h.Run, fault: filterError,
		table: func() *table.Table { return h.Table(view) },
		found: func() int64 {
			if all, kept := h.Count(); all > int64(kept) && t.until == "" {
				return all
			}
			return int64(len(h.List()))
		}}, nil
}

// point finds the event that a flag names.
func (t *historyCommand) point(ctx context.Context, r *lazy.LazyTraceReader, text string) (*query.HistoryPoint, error) {
	at, err := placeArgument(text)
	if err != nil {
		return nil, err
	}
	where, event, err := r.Find(ctx, at)
	if err != nil {
		return nil, err
	}
	if where.At < 0 {
		return nil, &usageError{text + " is a thread, not an event", ""}
	}
	return &query.HistoryPoint{Position: where, Event: event}, nil
}

// find finds the location, and where it is looked at from.
func (t *historyCommand) find(ctx context.Context, r *lazy.LazyTraceReader, raw bool) (*query.Location, *query.HistoryPoint, error) {
	text := t.location
	var here *query.HistoryPoint
	if h, ok := lazy.ParseHandle(text); ok && (h.Numbered || strings.Contains(text, "+")) {
		at, _, err := r.Find(ctx, h)
		if err != nil {
			return nil, nil, err
		}
		spots, point, err := query.LocationsAt(ctx, r, raw, at)
		switch {
		case errors.Is(err, query.ErrHidden):
			return nil, nil, hiddenError(text, err)
		case err != nil:
			return nil, nil, fmt.Errorf("%s has %w", text, err)
		case len(spots) > 1:
			many := &query.ManyLocationsError{Text: text}
			for _, s := range spots {
				many.Choices = append(many.Choices, s.Text)
			}
			return nil, nil, locationError(many)
		}
		text, here = spots[0].Text, point
	}
	l, err := query.ParseLocation(ctx, r, text, t.object)
	return l, here, locationError(err)
}

// locationError adds to an error what to do.
func locationError(err error) error {
	var none *query.NoLocationError
	var values *query.NoObjectError
	switch hint := query.Hint(err); {
	case errors.As(err, &values):
		return withHint(err, "tracex calls FILE 'obj="+values.Text+"' lists the calls with such values")
	case hint != "":
		return withHint(err, hint)
	case errors.As(err, &none):
		return withHint(err, "a location is such as Account.balance, Account@129378.balance, Account@129378, [I@4711[3], Account.deposit:amount or '#1204'")
	}
	return err
}
