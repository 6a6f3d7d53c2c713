// Package pattern is what a search or a filter looks for: a text, a regular
// expression, or a method or field by its names. It says what of a text it finds,
// what it never finds ([lazy.Limits]), and what is wrong with an expression.
package pattern
