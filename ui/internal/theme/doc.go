// Package theme says how the explorer's text looks. What a run of text is, is a [Role] (roles.go). A
// [Theme] gives each role a [lipgloss.Style]. It is made of a [Source], in the words that users write (words.go); each
// that is built in stands in a file of its own, such as nord.theme, and all are listed in source.go. [Pens] are a
// theme's styles as escape sequences, prepared once for a terminal (pens.go; besides, only screen.Underline writes
// any), because rows are drawn in hundreds of spans a frame. How users write a style is in words.go.
package theme
