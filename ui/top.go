package ui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/filter"
	"tracex/ui/internal/answer"
	"tracex/ui/internal/command"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/sheet"
)

// topAnswer shows where the time goes.
type topAnswer struct{ *asking }

func (a topAnswer) commands() []command.Command {
	return []command.Command{{
		Name: "top", Group: groupAnswer, Args: "[here] [by " + strings.Join(query.Bys[:], "|") + "] [where FILTER]", Help: "where the time goes; here: below the cursor",
		Check:    func(args string) error { _, err := a.read(args); return err },
		Complete: a.complete,
		Run: func(args string) tea.Cmd {
			o, err := a.read(args)
			if err != nil {
				a.env.Warn(err.Error())
				return nil
			}
			return a.show(o)
		},
	}}
}

// topOptions are the arguments of the command top.
type topOptions struct {
	by    query.By
	here  bool
	where *filter.Expr
}

// read reads the arguments of the command top.
func (a topAnswer) read(args string) (o topOptions, err error) {
	others, where, err := a.arguments(args)
	if err != nil {
		return o, err
	}
	o.where = where
	o.by, o.here, err = topArguments(others)
	return o, err
}

// topArguments reads the arguments of the command top before where.
func topArguments(args string) (by query.By, here bool, err error) {
	words := strings.Fields(args)
	for i, word := range words {
		b, ok := query.ParseBy(word)
		switch {
		case ok:
			by = b
		case word == "here":
			here = true
		case word != "by" || i == len(words)-1:
			return 0, false, errors.New("top takes here, by with one of " + strings.Join(query.Bys[:], ", ") + ", and where with a filter: not " + word)
		}
	}
	return by, here, nil
}

// complete completes the arguments of the command top.
func (a topAnswer) complete(args string) (from int, with []prompt.Candidate) {
	words := []string{"here", "by ", "where "}
	if before := strings.Fields(args[:strings.LastIndexByte(args, ' ')+1]); len(before) > 0 && before[len(before)-1] == "by" {
		words = query.Bys[:]
	}
	return a.completeWhere(args, words...)
}

// show shows where the time goes, in the whole trace or below the cursor.
func (a topAnswer) show(o topOptions) tea.Cmd {
	var below *lazy.Handle
	if o.here {
		n := a.tree.Out.Cursor.Node
		if n == nil {
			a.env.Say("the row is not loaded: nothing is known below it")
			return nil
		}
		h := n.Handle()
		below = &h
	}
	t, run := answer.NewTop(a.env.Life, a.matching(below, o.where), o.by)
	actions := append([]sheet.Action{a.toCall(""), callsAnswer(a).ofRow(below), pathsAnswer(a).ofRow(below)}, a.steps.ofTable(t)...)
	return tea.Batch(a.tables.show(t, actions...), run)
}
