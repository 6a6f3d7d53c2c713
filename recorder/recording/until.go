package recording

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"tracex/recorder/instrument/raw"
)

// untilCondition is a condition on an argument or a result, as a filter has it: arg.amount>100, ret.err!=nil.
var untilCondition = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?P<kind>arg|ret)(?:\.(?P<name>\pL[\pL\pN_]*|_[\pL\pN_]+|[1-9][0-9]?))?(?P<op>!=|<=|>=|=|<|>)(?P<value>"(?:[^"\\]|\\.)*"|[^"\s]\S*)(?:\s+|$)`)
})

// untilOption returns what --until takes in the form of raw.OptionsVariable: a pattern of functions, or one with conditions on
// the arguments and results of the call, which all hold, or panic.
func untilOption(text string) (string, error) {
	pattern, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	if pattern == "" || strings.ContainsAny(pattern, "\t\n") {
		return "", fmt.Errorf("%q is not a pattern of functions", text)
	}
	out := pattern
	for rest = strings.TrimSpace(rest); rest != ""; {
		if after, ok := strings.CutPrefix(rest, "and "); ok && out != pattern {
			rest = strings.TrimSpace(after)
			continue
		}
		m := untilCondition().FindStringSubmatch(rest)
		if m == nil {
			return "", fmt.Errorf("%q is not a condition on an argument or a result, such as arg.amount>100, arg.1=\"EUR\" or ret.err!=nil", rest)
		}
		group := func(name string) string { return m[untilCondition().SubexpIndex(name)] }
		kind, name, op, value := group("kind"), group("name"), group("op"), group("value")
		switch {
		case pattern == "panic":
			return "", errors.New("panic has no conditions: it is any panic")
		case kind == "arg" && name == "":
			return "", fmt.Errorf("%q does not say which argument, as arg.amount and arg.1 do", strings.TrimSpace(m[0]))
		}
		rest = rest[len(m[0]):]
		numbers := numberParts(value)
		switch {
		case value[0] == '=', value[0] != '"' && (strings.ContainsAny(value, "*@") || strings.Contains(value, "..")):
			return "", fmt.Errorf("%s is no number, duration, true, false, nil or text: put a text in quotes", value)
		case len(numbers) == 0 && op != "=" && op != "!=" && (value == "true" || value == "false" || value == "nil" || value == "null"):
			return "", fmt.Errorf("%s has no order: use = or !=", value)
		}
		if value[0] == '"' {
			unquoted, err := strconv.Unquote(value)
			if err != nil {
				return "", fmt.Errorf("%s is not a text in quotes", value)
			}
			value = unquoted
		} else if value == "null" {
			value = "nil"
		}
		for _, b := range []byte{0, raw.UntilCondition, raw.UntilPart, raw.UntilBlank} {
			if strings.IndexByte(value, b) >= 0 {
				return "", fmt.Errorf("%q has a control character", value)
			}
		}
		op = cmp.Or(map[string]string{"!=": "!", "<=": "l", ">=": "g"}[op], op)
		parts := append([]string{kind[:1] + cmp.Or(name, "1"), op, strings.ReplaceAll(value, " ", string(rune(raw.UntilBlank)))}, numbers...)
		out += string(rune(raw.UntilCondition)) + strings.Join(parts, string(rune(raw.UntilPart)))
	}
	return out, nil
}

// numberParts returns a number, or a duration as its nanoseconds, as an integer and as the bits of a float64; nothing for
// another text.
func numberParts(text string) []string {
	integer := ""
	f, err := strconv.ParseFloat(text, 64)
	if d, wrong := time.ParseDuration(text); err != nil && wrong == nil {
		f, err, text = float64(d), nil, strconv.FormatInt(int64(d), 10)
	}
	if err != nil || math.IsNaN(f) {
		return nil
	}
	const exact = 1 << 58 // the program reads smaller ones
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > -exact && n < exact {
		integer = strconv.FormatInt(n, 10)
	}
	return []string{integer, strconv.FormatUint(math.Float64bits(f), 10)}
}
