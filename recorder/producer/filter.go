package producer

import (
	"slices"
	"strings"

	"tracex/recorder/perfetto"
)

// wanted reports whether a session wants events of a category. What is named
// exactly counts before what a pattern such as "net*" says, and what is asked for
// before what is not wanted; in the end all are wanted but slow ones.
func wanted(config *perfetto.TrackEventConfig, c *Category) bool {
	tags := c.Tags
	if strings.HasPrefix(c.Name, "disabled-by-default-") {
		tags = append(slices.Clip(tags), "slow") // Chrome's older way to say so
	}
	unwantedTags := config.GetDisabledTags()
	if len(unwantedTags) == 0 {
		unwantedTags = []string{"slow", "debug"}
	}
	for _, matches := range []func(pattern, name string) bool{exactly, byPattern} {
		name := []string{c.Name}
		switch {
		case anyMatch(config.GetEnabledCategories(), name, matches), anyMatch(config.GetEnabledTags(), tags, matches):
			return true
		case anyMatch(config.GetDisabledCategories(), name, matches), anyMatch(unwantedTags, tags, matches):
			return false
		}
	}
	return true
}

func anyMatch(patterns, names []string, matches func(pattern, name string) bool) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return matches(p, n) })
	})
}

func exactly(pattern, name string) bool { return pattern == name && !strings.Contains(pattern, "*") }

// byPattern matches what stands before the first star.
func byPattern(pattern, name string) bool {
	prefix, _, found := strings.Cut(pattern, "*")
	return found && strings.HasPrefix(name, prefix)
}
