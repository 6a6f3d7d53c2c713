package format

// Change is an inexact change of a [Translator]: a guess where the other version knows more, or
// a loss where it cannot represent something.
type Change uint8

const (
	// To version 27.
	ChangeBigNumber     Change = iota // a guess: integer or decimal
	ChangeUnquoted                    // a guess: an enum constant, mostly
	ChangeBuilder                     // a guess: its class
	ChangeShortClass                  // a guess: the full name
	ChangeMark                        // a guess: the result could be a string
	ChangeExceptionName               // a guess: an object is an exception by its class's name
	ChangeLoops                       // a guess: those that ran
	ChangeOld                         // a guess: fields that version 19 lacks

	// To version 22; all are losses.
	ChangeEnum
	ChangeBig
	ChangeSequence
	ChangeNoContent
	ChangeBuilderID
	ChangeExceptionState
	ChangeException
	ChangeObject
	ChangeThrownObject
	ChangeMarkText
	ChangeLikeMark
	ChangeThrownResult
	ChangeNoName
	ChangeLoopLocation
	ChangeWatch
	ChangeNothingCaptured
	ChangeNoClass

	// To either; losses.
	ChangeStatuses
	ChangeCut

	changeCount
)

// changes are the words for changes: for one, for many, and after either.
var changes = [changeCount]struct {
	one, many, rest string
	guess           bool
}{
	ChangeBigNumber:     {"big number", "big numbers", " taken for integers or decimals by their digits", true},
	ChangeUnquoted:      {"text without quotes", "texts without quotes", " (enum constants and the like) as decimals, without their class", true},
	ChangeBuilder:       {"string builder", "string builders", " taken for a java.lang.StringBuilder", true},
	ChangeShortClass:    {"class", "classes", " by the short name instead of the full one", true},
	ChangeMark:          {"result", "results", " taken for marks by their text", true},
	ChangeExceptionName: {"object", "objects", " taken for exceptions by the name of their class", true},
	ChangeLoops:         {"location of loops", "locations of loops", " with those loops alone that ran", true},
	ChangeOld:           {"object", "objects", " of version 19 without what it does not say", true},

	ChangeEnum:            {"enum constant", "enum constants", " as plain text, without the class", false},
	ChangeBig:             {"big number", "big numbers", " as plain text, without the kind", false},
	ChangeSequence:        {"character sequence", "character sequences", " as strings, without class and identity", false},
	ChangeNoContent:       {"character sequence", "character sequences", " of unknown content as plain objects", false},
	ChangeBuilderID:       {"string builder", "string builders", " of a second class of that name", false},
	ChangeExceptionState:  {"exception", "exceptions", " without message and frames", false},
	ChangeException:       {"exception", "exceptions", " as plain objects, of a class that nothing tells to be one", false},
	ChangeObject:          {"plain object", "plain objects", " of a class that passes for an exception", false},
	ChangeThrownObject:    {"plain object", "plain objects", " thrown or caught, which pass for exceptions", false},
	ChangeMarkText:        {"mark", "marks", " as strings", false},
	ChangeLikeMark:        {"string", "strings", " as results that read as marks", false},
	ChangeThrownResult:    {"result", "results", " of calls that threw", false},
	ChangeNoName:          {"call", "calls", " that threw without a name, as unfinished", false},
	ChangeLoopLocation:    {"location", "locations", " without which loops begin there", false},
	ChangeWatch:           {"watch of a live breakpoint", "watches of live breakpoints", " left out", false},
	ChangeNothingCaptured: {"empty capture", "empty captures", " of objects and arrays left out", false},
	ChangeNoClass:         {"object", "objects", " of no class as plain text", false},

	ChangeStatuses: {"set of diff statuses", "sets of diff statuses", " that the version cannot hold", false},
	ChangeCut:      {"text", "texts", " cut to what a string can hold", false},
}

// AllChanges returns all kinds of changes, in the order in which they are reported.
func AllChanges() []Change {
	list := make([]Change, changeCount)
	for i := range list {
		list[i] = Change(i)
	}
	return list
}

// Guess reports whether the change is a guess; otherwise it is a loss.
func (c Change) Guess() bool { return c < changeCount && changes[c].guess }

// Words describes n such changes, without the number: "enum constants as plain text,
// without the class".
func (c Change) Words(n int64) string {
	if c >= changeCount {
		return "changes of no known kind"
	}
	w := &changes[c]
	if n == 1 {
		return w.one + w.rest
	}
	return w.many + w.rest
}

// String returns the words for many.
func (c Change) String() string { return c.Words(2) }
