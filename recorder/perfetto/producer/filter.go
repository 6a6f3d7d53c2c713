package producer

import (
	"slices"
	"strings"

	"tracex/recorder/perfetto/messages"
)

// wanted reports whether a session wants events of a category, by the rules of
// Perfetto's library. Exact names take precedence over patterns such as "net*", and
// those over "*"; within each, categories take precedence over tags. The default is
// true, except for slow and debug categories if the session's config has no tags.
func wanted(config *messages.TrackEventConfig, c *Category) bool {
	name, tags := []string{c.Name}, c.Tags
	if strings.HasPrefix(c.Name, "disabled-by-default-") {
		tags = append(slices.Clip(tags), "slow") // Chrome's older notation
	}
	unwantedTags := config.GetDisabledTags()
	if len(unwantedTags) == 0 && len(config.GetEnabledTags()) == 0 {
		unwantedTags = []string{"slow", "debug"}
	}
	for _, matches := range []func(pattern, name string) bool{exactly, byPattern, always} {
		switch {
		case anyMatch(config.GetEnabledCategories(), name, matches):
			return true
		case anyMatch(config.GetDisabledCategories(), name, matches), anyMatch(unwantedTags, tags, matches):
			return false
		case anyMatch(config.GetEnabledTags(), tags, matches):
			return true
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

// byPattern matches the part before the first star, if it is not empty.
func byPattern(pattern, name string) bool {
	prefix, _, found := strings.Cut(pattern, "*")
	return found && prefix != "" && strings.HasPrefix(name, prefix)
}

func always(pattern, _ string) bool { return strings.HasPrefix(pattern, "*") }
