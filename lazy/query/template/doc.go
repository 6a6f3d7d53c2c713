// Package template writes trace points as a person wants them: a text with fields of the filter
// language in braces.
//
//	withdraw {arg.1} of {recv} -> {ret|exc} in {dur}
//
// A field in braces is replaced by what the point has, as rows show it. Of several fields with | between
// them the first that the point has counts; if it has none of them, – is written. A brace is written by
// doubling it. As in a quoted text of a filter, a backslash escapes a quote and itself, and \n, \r,
// \t and \u00e9 are characters; before anything else it is itself.
//
// [Parse] reads a template, [ParseLog] a filter with a template after it, [Template.Append] writes a
// point from [filter.Facts] that its caller has; [Template.Needs] tells which.
package template
