package main

import (
	"os"
	"strings"
)

// expand returns arguments with those of the form @FILE replaced by what the file has, one
// argument a line. Files that cannot be read stay: the tool will say so.
func expand(args []string) []string {
	for i, a := range args {
		if strings.HasPrefix(a, "@") {
			return append(append([]string(nil), args[:i]...), expandRest(args[i:])...)
		}
	}
	return args
}

func expandRest(args []string) (all []string) {
	for _, a := range args {
		path, ok := strings.CutPrefix(a, "@")
		if !ok {
			all = append(all, a)
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			all = append(all, a)
			continue
		}
		for _, line := range strings.Split(strings.TrimSpace(strings.ReplaceAll(string(text), "\r", "")), "\n") {
			all = append(all, escapes.Replace(line))
		}
	}
	return all
}

// escapes are those of the lines of such a file.
var escapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n")
