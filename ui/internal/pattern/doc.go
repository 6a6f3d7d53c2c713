// Package pattern is what a search or a filter looks for: a text, a regular expression, or a
// method or field by its names. It tells where a text matches, which texts cannot match
// ([lazy.Limits]), and what is wrong with an expression.
package pattern
