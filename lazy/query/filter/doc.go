// Package filter is the language in which people and scripts say which points of a trace they mean.
//
//	filter = and { "or" and }
//	and    = not { ["and"] not }
//	not    = { "-" | "not" } term
//	term   = "(" filter ")" | "in(" filter ")" | "has(" filter ")" | field op value | field | "#" event | text
//	op     = "=" "!=" "<" "<=" ">" ">=" "~" (regular expression) ":" (contains)
//	value  = word | "text in quotes" | range
//
// [Parse] reads a filter and knows no trace, [Expr.Bind] prepares it for one and knows its names, and
// [Filter.Match] tests one trace point, from [Facts] that its caller has. The package reads no trace
// itself. docs/filter.md is the language for users; [Fields] lists the fields.
//
// # Words and values
//
// A word ends at white space, or at a ")" that it did not open: withdraw(1, 2) is one word. In quotes
// a backslash escapes a quote and itself; \n, \r, \t and \u00e9 are characters; before anything
// else it is an ordinary character, as in "\d+". The field determines what a value means.
//
//	names           a name in one of its forms: withdraw, Account.withdraw, com.shop.Account.withdraw
//	numbers         17, 1,204,332; ranges with both ends: 5..9, 5.., ..9
//	times           10ms, 1.5s, 2us or 2µs, 1m30s; ranges
//	bytes           100, 64KiB, 1.5MB; ranges
//	recorded values null or nil, true, false, void; a number, compared by its value with numbers of all
//	                types; a range; "a string"; Class@129378 or @129378; any other word: a string, the
//	                class of an object, an enum constant, or the whole text that shows the value
//
// In a word after = or != a * is any text. After : case counts only if the value has capitals. After ~
// is an expression of Go's package regexp that may match anywhere. Both test all forms of a name;
// of a string, what it contains as well as what is shown.
//
// # What is not known
//
// A comparison with something unknown is false, and so is one with !=. Unknown are the times of a trace
// without times, the result of a call that did not end, and every field of a point that cannot have
// it: ret of a loop. The negation of a false comparison is true: "-ret=null" matches loops,
// "ret!=null" does not. There is no third truth value.
//
// A field that stands for several values, such as arg, matches if one of them does; arg!=null is "some
// argument is not null", -arg=null is "no argument is null".
package filter
