//go:build tracexrt

package tracexrt

// only and skip are patterns of the functions to record, and not to record; until has those at whose first call the
// recording ends.
var only, skip, until [64]string

func defaults() {
	depthMost, stringsMost, fieldsMost, listMost, levels = 0, 64, 12, 8, 1<<62
	limit, reserve, lastKept, ring = 1<<62, 0, 0, false
	firstShift, mostShift = 20, 26
	clock = bestClock()
	only, skip, until = [64]string{}, [64]string{}, [64]string{}
	lastFor, untilPanic, untilAt = 0, false, 0
	untilConditions, each, sampleOf, slower = [64]string{}, [64]string{}, 0, 0
	keeping, keepAll, keepSlow, keptMost = false, false, 0, 1<<62
}

// parse reads options, in the form of OptionsVariable, and ignores unknown ones. It does not copy
// texts: they are in the environment, or in the copy of the control file.
func parse(options string) {
	onlys, skips, untils, eachs := 0, 0, 0, 0
	for len(options) > 0 {
		i := 0
		for i < len(options) && options[i] != ' ' {
			i++
		}
		option := options[:i]
		options = options[min(i+1, len(options)):]
		k := 0
		for k < len(option) && option[k] != '=' {
			k++
		}
		name, value := option[:k], option[min(k+1, len(option)):]
		n := decimal(value)
		switch name {
		case "depth":
			depthMost = int(min(n, 8))
		case "strings":
			stringsMost = uintptr(min(n, 255))
		case "fields":
			fieldsMost = int(min(n, 1000))
		case "elements":
			listMost = uintptr(min(n, elementsMost))
		case "levels":
			if n > 0 {
				levels = int(min(n, 1<<62))
			}
		case "limit":
			if n > 0 {
				limit = uintptr(n)
			}
		case "reserve":
			reserve = n
		case "last":
			if n > 0 {
				keepLast(uintptr(n))
			}
		case "lastfor":
			lastFor = int64(n)
		case "until":
			switch {
			case value == "panic":
				untilPanic = true
			case untils < len(until):
				until[untils], untilConditions[untils] = cut(value, UntilCondition)
				untils++
			}
		case "keep":
			keeping, keepAll, keepSlow = true, value == "all", int64(n)
		case "kept":
			keptMost = n
		case "each":
			if eachs < len(each) {
				each[eachs] = value
				eachs++
			}
		case "slower":
			slower = int64(min(n, 1<<62))
		case "sample":
			sampleOf = min(n, 1e9)
		case "times":
			if value == "0" {
				clock = ClockNone
			}
		case "only":
			if onlys < len(only) {
				only[onlys] = value
				onlys++
			}
		case "skip":
			if skips < len(skip) {
				skip[skips] = value
				skips++
			}
		}
	}
	choosing = sampleOf != 0 || each[0] != "" || slower != 0
	if lastFor > 0 {
		lastKept = maxLast
		for mostShift > leastShift && maxLast<<mostShift > limit {
			mostShift--
		}
		firstShift = min(firstShift, mostShift)
	}
	valueMost = 320 + stringsMost
	if depthMost > 0 || fieldsMost > 12 {
		valueMost = 1024
	}
	valueMost = max(valueMost, min(64+listMost*max(stringsMost+2, 9), 4096))
}

// keepLast makes the recording keep only the newest events, about n bytes.
func keepLast(n uintptr) {
	shift := uintptr(20)
	for shift < 26 && 1<<shift*mostKept < n {
		shift++
	}
	firstShift, mostShift = shift, shift
	lastKept = min(max(n>>shift, 2), mostKept)
}

// fit makes segments so small that a recording of so many bytes has several, but not smaller than 1 << least.
func fit(bytes, least uintptr) {
	for mostShift > least && 16<<mostShift > bytes {
		mostShift--
	}
	firstShift = min(firstShift, mostShift)
}

// leastShift is that of a segment with room for a chunk.
const leastShift = 16

// left reports whether the options leave a function out.
func left(f *Func) bool {
	if f.Go || f.Test {
		return f.Test
	}
	return only[0] != "" && !anyMatches(&only, f) || anyMatches(&skip, f)
}

// anyMatches reports whether one of the patterns names a function. An empty pattern ends the list.
func anyMatches(patterns *[64]string, f *Func) bool {
	for _, p := range patterns {
		if p == "" {
			break
		}
		if matches(p, f) {
			return true
		}
	}
	return false
}

// matches reports whether a pattern names a function: package and name as in
// "example.com/x/shop.(*Order).Pay", "shop.Order.Pay", "shop.*"; or a package. The package may have
// its own name, its import path, or an end of that, yaml/v3 for yaml.v3 as in a trace. * stands for anything without a slash, ... for
// anything. A pattern includes the literals in a function.
func matches(pattern string, f *Func) bool {
	tree := pattern
	if n := len(pattern) - len(below); n > 0 && pattern[n:] == below {
		tree = pattern[:n]
	}
	pkg := f.Own
	for at := len(f.Pkg); ; {
		if pkg != "" && (match(tree, pkg, "", "", false) || match(pattern, pkg, "", "", false) || match(pattern, pkg, ".", f.Name, false) || match(pattern, pkg, ".", f.Name, true)) {
			return true
		}
		if at < 0 {
			return false
		}
		at-- // before a slash
		for at >= 0 && f.Pkg[at] != '/' {
			at--
		}
		pkg = f.Pkg[at+1:]
	}
}

// below ends a pattern of a package and those below it, as in patterns of go build.
const below = "/..."

// match matches a pattern with the concatenation of texts. bare leaves out (* and ) of a receiver,
// and [...], which stands for type parameters.
func match(pattern, pkg, dot, name string, bare bool) bool {
	var text [1024]byte
	n := copy(text[:], pkg)
	n += copy(text[n:], dot)
	const parameters = "[...]"
	for i := 0; i < len(name) && n < len(text); i++ {
		c := name[i]
		switch {
		case !bare || c != '(' && c != ')' && c != '*' && c != '[':
			text[n] = c
			n++
		case c == '[' && len(name)-i >= len(parameters) && name[i:i+len(parameters)] == parameters:
			i += len(parameters) - 1
		}
	}
	if matchText(pattern, text[:n]) {
		return true
	}
	version := min(len(pkg), len(text)) - 1
	for version > 0 && text[version] >= '0' && text[version] <= '9' {
		version--
	}
	if version < 2 || version+1 >= len(pkg) || text[version] != 'v' || text[version-1] != '.' {
		return false
	}
	text[version-1] = '/'
	return matchText(pattern, text[:n])
}

func matchText(p string, t []byte) bool {
	for len(p) > 0 {
		switch {
		case len(p) >= 3 && p[:3] == "...":
			for i := 0; i <= len(t); i++ {
				if matchText(p[3:], t[i:]) {
					return true
				}
			}
			return false
		case p[0] == '*' && !(len(t) > 0 && t[0] == '*'):
			for i := 0; i <= len(t); i++ {
				if matchText(p[1:], t[i:]) {
					return true
				}
				if i < len(t) && t[i] == '/' {
					return false
				}
			}
			return false
		case len(t) == 0 || p[0] != t[0]:
			return false
		}
		p, t = p[1:], t[1:]
	}
	// The rest may be a literal in the function.
	return len(t) == 0 || len(t) > 5 && string(t[:5]) == ".func" || len(t) > 6 && string(t[:6]) == "-range"
}

func decimal(s string) (n uint64) {
	for i := 0; i < len(s) && s[i] >= '0' && s[i] <= '9' && n < 1<<58; i++ {
		n = n*10 + uint64(s[i]-'0')
	}
	return n
}

// putDecimal writes a number into text, and returns how many digits it has.
func putDecimal(text []byte, n uint64) int {
	var digits [20]byte
	i := len(digits)
	for {
		i--
		digits[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			return copy(text, digits[i:])
		}
	}
}

// variable returns the value of a variable of the environment; "" if there is none.
func variable(name string) string {
	for _, e := range environment() {
		if len(e) > len(name) && e[:len(name)] == name && e[len(name)] == '=' {
			return e[len(name)+1:]
		}
	}
	return ""
}
