package chrome

import "math"

// decimal returns a decimal number × 10^scale, without what is less than one: with scale 3, µs such as "1.7e15" or
// "-1234.5678" in ns. Nothing is lost on the way, as it would be in a float64. number is false if it is not a
// number, ok also if it is larger than an int64.
func decimal(s string, scale int) (x int64, number, ok bool) {
	i, negative := 0, false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative, i = s[0] == '-', 1
	}
	const most = (math.MaxUint64 - 9) / 10
	n, digits, point := uint64(0), 0, false // n × 10^scale
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
				return 0, false, false
			}
			scale += power
		default:
			return 0, false, false
		}
		break
	}
	if digits == 0 {
		return 0, false, false
	}
	for ; scale < 0 && n != 0; scale++ {
		n /= 10
	}
	for ; scale > 0 && n != 0; scale-- {
		if n > math.MaxInt64/10 {
			return 0, true, false
		}
		n *= 10
	}
	switch {
	case n > math.MaxInt64:
		return 0, true, false
	case negative:
		return -int64(n), true, true
	}
	return int64(n), true, true
}

// setTime reads the time of an event: ns, or if they are too many, µs.
func (e *event) setTime(s string) {
	var number bool
	e.far, e.tooFar = false, false
	if e.ts, number, e.timed = decimal(s, 3); e.timed || !number {
		return
	}
	e.ts, _, e.far = decimal(s, 0)
	e.tooFar = !e.far
}

// setDuration reads the duration of an event.
func (e *event) setDuration(s string) {
	var ok bool
	if e.duration, e.lasting, ok = decimal(s, 3); e.lasting && !ok {
		if e.duration = math.MaxInt64; s[0] == '-' {
			e.duration = math.MinInt64
		}
	}
}

// farTime bounds times, in ns, as calls need room after them: 73 years.
const farTime = math.MaxInt64 / 4

// place makes the time of an event count from the origin, and reports whether it is within the bounds. The first
// event decides where the origin is: it is moved only if times would be too large without.
func (c *converter) place(e *event) bool {
	if e.tooFar {
		return false
	}
	us, rest := e.ts, int64(0)
	if !e.far {
		us, rest = e.ts/1000, e.ts%1000
	}
	const most = farTime / 1000
	if !c.placed && (us > most || us < -most) {
		c.origin = us
	}
	c.placed = true
	d := us - c.origin
	if (us >= c.origin) != (d >= 0) || d > most || d < -most {
		return false
	}
	e.ts, e.far = d*1000+rest, false
	return true
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
