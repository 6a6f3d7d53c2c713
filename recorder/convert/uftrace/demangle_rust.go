package uftrace

import (
	"strconv"
	"strings"
)

// rustHashSize is the length of the last part of a Rust name, h and a hash.
const rustHashSize = 17

func isRustHash(name string) bool {
	if len(name) != rustHashSize || name[0] != 'h' {
		return false
	}
	_, err := strconv.ParseUint(name[1:], 16, 64)
	return err == nil
}

// rustLetters are the letters that Rust's older mangling writes between dollars.
var rustLetters = map[string]string{
	"SP": "@", "BP": "*", "RF": "&", "LT": "<", "GT": ">", "LP": "(", "RP": ")", "C": ",",
}

// fromRust returns a part of a Rust name with the letters that mangling replaced.
func fromRust(name string) string {
	if strings.HasPrefix(name, "_$") {
		name = name[1:]
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(name, "$")
		b.WriteString(strings.ReplaceAll(before, "..", "::"))
		if !found {
			return b.String()
		}
		code, rest, closed := strings.Cut(after, "$")
		letter, known := rustLetters[code]
		if hex, isCode := strings.CutPrefix(code, "u"); isCode && !known {
			if n, err := strconv.ParseUint(hex, 16, 21); err == nil {
				letter, known = string(rune(n)), true
			}
		}
		if !closed || !known {
			b.WriteByte('$')
			name = after
			continue
		}
		b.WriteString(letter)
		name = rest
	}
}
