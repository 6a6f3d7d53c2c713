// Package docs holds the pages of the documentation that the program prints.
package docs

import _ "embed"

// Filter is the page about the filter language, in Markdown.
//
//go:embed filter.md
var Filter string

// Go is the page about recording Go programs as they are, in Markdown.
//
//go:embed go.md
var Go string

// Exchange is the page about files of other tools, in Markdown.
//
//go:embed exchange.md
var Exchange string

// Diff is the page about what is different between traces, in Markdown.
//
//go:embed diff.md
var Diff string

// Fleet is the page about many traces as one table, in Markdown.
//
//go:embed fleet.md
var Fleet string
