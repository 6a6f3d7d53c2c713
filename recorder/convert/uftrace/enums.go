package uftrace

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxEnumValues bounds the constants of all enums of a file.
const maxEnumValues = 1 << 18

// enums are the constants of enums by name, the largest value first.
type enums map[string][]constant

type constant struct {
	name  string
	value int64
}

// parse adds definitions such as enum color {RED,GREEN=4}; it ignores what is none.
func (e enums) parse(text string) {
	for definition := range strings.SplitSeq(text, ";") {
		head, body, ok := strings.Cut(definition, "{")
		name, isEnum := strings.CutPrefix(strings.TrimSpace(head), "enum ")
		body, _, _ = strings.Cut(body, "}")
		if name = strings.TrimSpace(name); ok && isEnum && name != "" && e[name] == nil {
			e[name] = parseConstants(body, maxEnumValues-e.size())
		}
	}
}

func (e enums) size() (n int) {
	for _, list := range e {
		n += 1 + len(list)
	}
	return n
}

// parseConstants parses the constants in the braces of an enum, at most so many.
func parseConstants(body string, most int) []constant {
	list := []constant{}
	next := int64(0)
	for word := range strings.SplitSeq(body, ",") {
		name, value, given := strings.Cut(word, "=")
		if given {
			n, err := strconv.ParseInt(strings.TrimSpace(value), 0, 64)
			if err != nil {
				continue
			}
			next = n
		}
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if len(list) >= most {
			break
		}
		list = append(list, constant{name, next})
		next++
	}
	slices.SortStableFunc(list, func(a, b constant) int { return cmp.Compare(b.value, a.value) })
	return list
}

// maxFlags bounds how many constants of an enum are shown as one value.
const maxFlags = 64

// enumText returns the name of a value, or those of the flags that make it up, or the number.
func enumText(list []constant, value int64) string {
	if len(list) > 0 {
		if i, found := slices.BinarySearchFunc(list, value, func(c constant, v int64) int { return cmp.Compare(v, c.value) }); found {
			return list[i].name
		}
	}
	var flags []string
	rest := value
	for _, c := range list {
		if c.value > 0 && c.value <= rest && len(flags) < maxFlags {
			flags = append(flags, c.name)
			rest -= c.value
		}
	}
	switch {
	case len(flags) == 0:
		return strconv.FormatInt(value, 10)
	case rest != 0:
		return fmt.Sprintf("%s+%#x", strings.Join(flags, "|"), rest)
	}
	return strings.Join(flags, "|")
}
