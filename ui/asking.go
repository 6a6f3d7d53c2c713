package ui

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
	"tracex/lazy/query/table"
	"tracex/ui/internal/answer"
	"tracex/ui/internal/env"
	"tracex/ui/internal/job"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/sheet"
	"tracex/ui/internal/tracestate"
	"tracex/ui/internal/tree"
)

// asking is what the answers share: the parts that they use, and keys of their tables.
type asking struct {
	env      *env.Env
	keyboard *keyboard
	trace    *tracestate.State
	tree     *tree.Part
	jobs     *job.Part
	search   *searching
	results  *results // a set of places that an answer has found becomes the current one by use
	tables   *tables
	steps    *stepping
	points   *logPoints
	calls    *answer.Calls // shown last; nil if none was
}

// about returns what an answer is about: the whole trace in the view of the tree, or what is below
// a row.
func (a *asking) about(below *lazy.Handle) answer.Of {
	return answer.Of{R: a.trace.Reader, Raw: !a.tree.Out.Tree.Folded(), Below: below, Steps: a.steps.list, Filter: a.steps.filter(), G: a.env.Glyphs}
}

// matching is about, of that only what matches a filter, if there is one.
func (a *asking) matching(below *lazy.Handle, where *filter.Expr) answer.Of {
	of := a.about(below)
	of.Where = where
	return of
}

// arguments splits the arguments of a command at the word where, which a filter follows. The error
// tells what is wrong with the filter; where is nil if there is none.
func (a *asking) arguments(args string) (others string, where *filter.Expr, err error) {
	words := strings.Fields(args)
	i := slices.Index(words, "where")
	if i < 0 {
		return args, nil, nil
	}
	_, text, _ := strings.Cut(" "+args+" ", " where ")
	if where, err = filter.Parse(strings.TrimSpace(text)); err != nil {
		return "", nil, err
	}
	if where.Empty() {
		return "", nil, errors.New("where needs a filter, such as dur>10ms or class=Account")
	}
	return strings.Join(words[:i], " "), where, query.Check(a.trace.Reader, where)
}

// completeWhere completes the filter after the word where, or else the last of the words before it.
func (a *asking) completeWhere(args string, words ...string) (from int, with []prompt.Candidate) {
	if i := strings.Index(" "+args, " where "); i >= 0 {
		at := i + len("where ")
		from, with = a.completeFilter(args[at:])
		return at + from, with
	}
	from = strings.LastIndexByte(args, ' ') + 1
	for _, word := range words {
		if strings.HasPrefix(word, args[from:]) {
			with = append(with, prompt.Candidate{Text: word, Title: strings.TrimSpace(word)})
		}
	}
	return from, with
}

// completeNames completes a name of the trace: what a filter takes for one of the fields.
func (a *asking) completeNames(args string, fields ...string) (with []prompt.Candidate) {
	for _, field := range fields {
		term := field + "=" + args
		from, list := a.completeFilter(term)
		for _, c := range list {
			name, ok := strings.CutPrefix(term[:from]+c.Text, field+"=")
			if name = strings.Trim(name, `"`); ok && name != "" {
				with = append(with, prompt.Candidate{Text: name, Help: c.Help})
			}
		}
	}
	return with
}

// completeMethod completes a method, or after it the word where and a filter.
func (a *asking) completeMethod(args string) (from int, with []prompt.Candidate) {
	if from, with = a.completeWhere(args, "where "); from == 0 {
		with = append(with, a.completeNames(args, "method")...)
	}
	return from, with
}

// methodHere returns the method of the call under the cursor; "" if there is none.
func (a *asking) methodHere() string {
	n := a.tree.Out.Cursor.Node
	if n == nil || n.Point() == nil || n.Point().Class != format.ClassCall {
		return ""
	}
	return answer.Name(a.trace.Reader, n.Point().Ref)
}

// noMethod tells that the trace has no such method, and which are spelled alike.
func (a *asking) noMethod(err error) {
	text := screen.ErrorLine(err)
	var none *query.NoMethodError
	if errors.As(err, &none) && len(none.Near) > 0 {
		text += "; the nearest: " + strings.Join(none.Near, ", ")
	}
	a.env.Warn(text)
}

// goToOne goes to an event that an answer found, if ok. From there n and N go to the others of the set: one
// and several tell what they are.
func (a *asking) goToOne(at query.HistoryPoint, ok bool, set *places.Set, one, several string) tea.Cmd {
	if !ok || set == nil {
		return nil
	}
	a.results.use(&result{one: one, several: several, raw: !a.tree.Out.Tree.Folded(), set: func() *places.Set { return set }})
	return a.jobs.ToPoint(at.Position, at.Event)
}

// toCall returns the key that goes to the next call of a row's method. A first row without one is
// about the method asked for, with the full name of its class.
func (a *asking) toCall(asked string) sheet.Action {
	do := func(t *table.Table, row int) tea.Cmd { return a.goToCall(t, row, asked) }
	return sheet.Action{Key: "enter", Brief: "next call", Help: "go to the next call of the method; n there: the one after", Leaves: true, Do: do}
}

// goToCall goes to the next call of a row's method, or to the row's thread.
func (a *asking) goToCall(t *table.Table, row int, asked string) tea.Cmd {
	r := answer.RowOf(t, row)
	class, method, ok := r.Method()
	if !ok && row == 0 && asked != "" {
		name, _, _ := strings.Cut(asked, "(")
		at := strings.LastIndexByte(name, '.')
		class, method, ok = name[:max(at, 0)], name[at+1:], true
	}
	if thread, is := r.Thread(); is {
		a.tree.ToThread(int32(thread - 1))
		return nil
	}
	if !ok {
		a.env.Say("this row is no method: it has no calls to go to")
		return nil
	}
	what := a.search.LikeMethod(class, method)
	if what == nil {
		a.env.Say("this row is no single method: type / to search for its calls")
		return nil
	}
	from, ok := a.tree.Out.Here()
	if !ok {
		return nil
	}
	a.tree.Visit()
	return a.search.same(what, from, 1)
}
