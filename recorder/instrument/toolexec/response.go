package main

import (
	"os"
	"strings"
)

// expand replaces each argument of the form @FILE by the arguments in the file. It keeps @FILE if the
// file cannot be read: the tool will report that.
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
		all = append(all, argumentsIn(string(text))...)
	}
	return all
}

// lines returns the arguments in a file that has one per line, as Go up to 1.26 writes it.
func lines(text string) (all []string) {
	for _, line := range strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r", "")), "\n") {
		all = append(all, escapes.Replace(line))
	}
	return all
}

// escapes undoes the escapes in the lines of such a file.
var escapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n")

// words returns the arguments in a file as Go writes it since 1.27: separated by white space, and
// quoted as in a shell.
func words(text string) (all []string) {
	var word strings.Builder
	begun, quote := false, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote == '\'' && c != '\'':
			word.WriteByte(c)
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] == '\r' && strings.HasPrefix(text[i+1:], "\n") {
				i++
			}
			if text[i] == '\n' {
				break // the line continues
			}
			if quote != 0 && strings.IndexByte("\\\"$`", text[i]) < 0 {
				word.WriteByte('\\')
			}
			word.WriteByte(text[i])
			begun = true
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, begun = c, true
		case quote == 0 && strings.IndexByte(" \t\r\n", c) >= 0:
			if begun {
				all = append(all, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		all = append(all, word.String())
	}
	return all
}
