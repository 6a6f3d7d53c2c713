package main

import "strings"

var (
	second = upper(first + "!")
	first  = upper("variable")
	double = func(n int) int { return 2 * n }
	table1 = map[string]func(string) string{
		"twice": func(s string) string { return s + s },
	}
	once1 = func() int { return double(3) }()
)

var inInit string

func upper(s string) string { return strings.ToUpper(s) }

func init() { inInit = upper("a") }

func init() { inInit += upper("b") }

func initialized() []any {
	return []any{first, second, double(1), table1["twice"]("z"), once1, inInit}
}
