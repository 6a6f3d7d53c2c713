package chrome

import "math"

// nanoseconds returns a decimal number of µs in ns, without what is less than one: "1.7e15",
// "-1234.5678". Nothing is lost on the way, as it would be in a float64. ok is false if it is not a
// number, or larger than an int64.
func nanoseconds(s string) (ns int64, ok bool) {
	i, negative := 0, false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative, i = s[0] == '-', 1
	}
	const most = (math.MaxUint64 - 9) / 10
	n, digits, scale, point := uint64(0), 0, 3, false // n × 10^scale
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
			if n > most {
				if !point {
					scale++
				}
				continue
			}
			n = n*10 + uint64(c-'0')
			if point {
				scale--
			}
			continue
		case c == '.' && !point:
			point = true
			continue
		case (c == 'e' || c == 'E') && digits > 0:
			power, ok := exponent(s[i+1:])
			if !ok {
				return 0, false
			}
			scale += power
		default:
			return 0, false
		}
		break
	}
	if digits == 0 {
		return 0, false
	}
	for ; scale < 0 && n != 0; scale++ {
		n /= 10
	}
	for ; scale > 0 && n != 0; scale-- {
		if n > math.MaxInt64/10 {
			return 0, false
		}
		n *= 10
	}
	switch {
	case n > math.MaxInt64:
		return 0, false
	case negative:
		return -int64(n), true
	}
	return int64(n), true
}

// exponent reads the exponent of a number. Beyond the bounds the number is 0 or too large anyway.
func exponent(s string) (n int, ok bool) {
	negative := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative, s = s[0] == '-', s[1:]
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(n*10+int(c-'0'), 1000)
	}
	if negative {
		n = -n
	}
	return n, s != ""
}
