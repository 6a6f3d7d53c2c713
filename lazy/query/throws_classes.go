package query

import (
	"strings"

	"tracex/format"
)

// shownClasses returns how tables show classes of exceptions, by their full names: by the short one or, if several have
// that, by the shortest end of the full one that no other has. A panic of Go may have a text instead, which stays whole:
// panic: shop.Order{ID:2}.
func shownClasses(rows []*throwRow) map[string]string {
	shown, alike := make(map[string]string), make(map[string][]string)
	for _, row := range rows {
		class := row.class
		if _, known := shown[class]; known {
			continue
		}
		shown[class] = class
		if strings.ContainsAny(class, " \"{(") {
			continue
		}
		short := format.ShortClass(class)
		if shown[class] = short; short != class {
			alike[short] = append(alike[short], class)
		}
	}
	for _, classes := range alike {
		for _, class := range classes {
			if len(classes) > 1 {
				shown[class] = endOf(class, classes)
			}
		}
	}
	return shown
}

// endOf returns the shortest end of the full name of a class, from a dot or a slash on, that none of the others has.
func endOf(class string, all []string) string {
	for at := len(class); ; {
		at = strings.LastIndexAny(class[:max(at, 0)], "./")
		end, count := class[at+1:], 0
		for _, other := range all {
			if other == end || strings.HasSuffix(other, "."+end) || strings.HasSuffix(other, "/"+end) {
				count++
			}
		}
		if count <= 1 || at < 0 {
			return end
		}
	}
}
