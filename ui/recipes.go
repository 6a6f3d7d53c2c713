package ui

import (
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
)

// Recipe is how to answer a question with which people open a trace, in the explorer and by commands.
type Recipe struct {
	Question string
	Steps    []RecipeStep
}

// RecipeStep is a step of a Recipe.
type RecipeStep struct {
	Keys    string // what to press; names of actions in braces stand for their keys
	Does    string // in the explorer
	Command string // for the trace of the demo, in demo.bin
	Tells   string // what the command prints
}

// recipes are shown by help, by the tour and by the command guide.
var recipes = []Recipe{
	{"a slow call", []RecipeStep{
		{"{top}", "which methods take the time; Enter there: their calls", "tracex top -n 10 demo.bin", "which methods take the time"},
		{"{callers}", "who calls the method, and how often per call", "tracex callers demo.bin Till.receipt", "who calls it, with the part of the time of each"},
		{":top", ":top where dur>100us, only slow calls; {longest} goes to the longest child", "tracex calls demo.bin Till.receipt --sort dur -n 5", "its slowest calls, with their values"},
	}},
	{"a wrong value", []RecipeStep{
		{"{search}", "search for the value; or {filter} with a filter, such as arg.2=5060", "tracex find demo.bin 'arg.2=5060'", "the calls that got it"},
		{"{history}", "on a row that reads or writes it: all its values", "tracex history demo.bin total --in '#84'", "all values of a variable"},
		{"{before}", "the write before here, and what led to it", "tracex around 'demo.bin#98' -n 8", "what led to the write"},
	}},
	{"an exception", []RecipeStep{
		{"{throws}", "where exceptions were thrown and caught; Enter: the first", "tracex throws demo.bin", "where exceptions were thrown and caught"},
		{"{collapse}", "to the call that threw: its arguments, and who called it", "tracex find demo.bin 'kind=call threw'", "the calls that ended by one, with their arguments"},
		{":callers", ":callers pay where threw, only the calls that ended by it", "tracex callers demo.bin Till.pay --where threw", "who made the calls that failed"},
	}},
}

// Recipes returns the recipes, with the explorer's own keys.
func Recipes() []Recipe {
	m := keys.New(nil, &screen.ASCII)
	var all []Recipe
	for _, r := range recipes {
		steps := make([]RecipeStep, len(r.Steps))
		for i, s := range r.Steps {
			steps[i] = RecipeStep{m.Fill(s.Keys), m.Fill(s.Does), s.Command, s.Tells}
		}
		all = append(all, Recipe{r.Question, steps})
	}
	return all
}
