package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/input"
	"tracex/ui/internal/screen"
)

// Action is what a key does: a line of the key map.
type Action struct {
	Name        string   // lower-case words with hyphens, always the same
	Group, Does string   // as in help
	Keys        []string // as ParseKey names them
}

// Actions returns the key map with the user's keys: see Options.
func Actions(keys map[string][]string) []Action {
	var all []Action
	for _, b := range bound(bindings(), keys) {
		all = append(all, Action{b.name, b.group, b.does(&screen.ASCII), b.keys})
	}
	return all
}

// ParseKey returns the name of a key: "j", "pgdown", "ctrl+d". The spelling may differ: PgDn, C-d.
func ParseKey(text string) (string, error) { return input.ParseKey(text) }

// bound gives actions the user's keys instead of their own; an empty list takes all from one. Other
// actions lose their keys to those. The first of two actions that want the same key gets it.
func bound(all []binding, keys map[string][]string) []binding {
	taken := make(map[string]bool)
	for i := range all {
		own, ok := keys[all[i].name]
		if !ok {
			continue
		}
		all[i].keys = slices.DeleteFunc(slices.Clone(own), func(k string) bool { return taken[k] })
		for _, k := range own {
			taken[k] = true
		}
	}
	for i := range all {
		if _, ok := keys[all[i].name]; !ok {
			all[i].keys = slices.DeleteFunc(all[i].keys, func(k string) bool { return taken[k] })
		}
	}
	return all
}

// standard returns, for keys that the user gave to an action, the action's own key. Lists have
// keys of their own, which follow the user's that way.
func standard(all []binding, keys map[string][]string) map[string]string {
	if len(keys) == 0 {
		return nil
	}
	own := make(map[string]string)
	for _, b := range bindings() {
		if len(b.keys) > 0 {
			own[b.name] = b.keys[0]
		}
	}
	to := make(map[string]string)
	for _, b := range all {
		for _, k := range b.keys {
			if _, ok := keys[b.name]; ok && own[b.name] != "" {
				to[k] = own[b.name]
			}
		}
	}
	return to
}

// inList returns the key that a list knows for one that the user pressed.
func (k *keyboard) inList(pressed tea.KeyPressMsg) tea.KeyPressMsg {
	if name, ok := k.standard[pressed.String()]; ok {
		return input.Press(name)
	}
	return pressed
}

// keyNames spells the first key of each action, for messages: see [screen.ActionKey].
func keyNames(all []binding, g *screen.Glyphs) map[string]string {
	names := make(map[string]string, len(all))
	for i := range all {
		if name := all[i].first(g); name != "" {
			names[all[i].name] = name
		}
	}
	return names
}
