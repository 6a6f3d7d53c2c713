package filter

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"

	"tracex/format"
)

// number is a number that a recorded value is compared with, exactly.
type number struct {
	dec   decimal
	whole bool  // it is an integer that int64 holds
	i     int64 // if whole; else the greatest integer below, as far as int64 goes
	below bool  // it is below the range of int64
	f     float64
	f32   float32
}

// parseNumber parses a number: digits with a sign, a fraction, an exponent, commas between
// thousands as screens show them.
func parseNumber(s string) (n number, ok bool) {
	s = withoutCommas(s)
	if rest, plus := strings.CutPrefix(s, "+"); plus && !strings.HasPrefix(rest, "-") {
		s = rest
	}
	if n.dec, ok = parseDecimal(s, false); !ok {
		return n, false
	}
	n.f, _ = strconv.ParseFloat(s, 64) // infinite if it is too large
	f, _ := strconv.ParseFloat(s, 32)
	n.f32 = float32(f)
	n.i, n.whole = n.dec.int64()
	n.below = n.dec.neg && n.dec.exp > 0 && n.dec.compare(&leastInt) < 0
	return n, true
}

// withoutCommas removes commas between groups of three digits.
func withoutCommas(s string) string {
	if !strings.Contains(s, ",") {
		return s
	}
	groups := strings.Split(strings.TrimLeft(s, "+-#"), ",")
	for i, g := range groups {
		if strings.Trim(g, "0123456789") != "" || g == "" || len(g) > 3 || i > 0 && len(g) != 3 {
			return s
		}
	}
	return strings.ReplaceAll(s, ",", "")
}

// compare compares a recorded number with n. ok is false if the value is no number.
func (n *number) compare(v *format.Value) (order int, ok bool) {
	switch v.Kind {
	case format.ValueByte, format.ValueShort, format.ValueInt, format.ValueLong:
		return n.compareInt(v.Bits), true
	case format.ValueFloat:
		x := float32(v.Float())
		return cmp.Compare(x, n.f32), x == x
	case format.ValueDouble:
		x := v.Float()
		return n.compareFloat(x), x == x
	case format.ValueBigInteger, format.ValueBigDecimal, format.ValueRawString:
		d, ok := parseDecimal(v.Text, true)
		return d.compare(&n.dec), ok
	}
	return 0, false
}

func (n *number) compareInt(i int64) int {
	switch {
	case n.whole:
		return cmp.Compare(i, n.i)
	case n.below:
		return 1
	case i <= n.i:
		return -1
	}
	return 1
}

// compareFloat compares x with an integer exactly, and with a fraction as the nearest double.
func (n *number) compareFloat(x float64) int {
	if !n.whole {
		return cmp.Compare(x, n.f)
	}
	switch {
	case x >= 1<<63:
		return 1
	case x < -1<<63:
		return -1
	}
	if order := cmp.Compare(int64(math.Floor(x)), n.i); order != 0 || x == math.Floor(x) {
		return order
	}
	return 1 // above n.i by less than 1
}

// decimal is a decimal number: 0.digits × 10^exp. The digits neither begin nor end with 0; there
// are none in 0.
type decimal struct {
	neg    bool
	digits string
	exp    int
}

// parseDecimal parses a number. In a strict one the digit before the point of a number with an
// exponent is the only one, as Java writes it.
func parseDecimal(s string, strict bool) (d decimal, ok bool) {
	s, d.neg = strings.CutPrefix(s, "-")
	mantissa, exp := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		if mantissa, exp = s[:i], s[i+1:]; len(exp) > 12 {
			return d, false
		}
		e, err := strconv.Atoi(exp)
		if err != nil {
			return d, false
		}
		d.exp = e
	}
	whole, fraction, pointed := strings.Cut(mantissa, ".")
	if whole == "" || pointed && fraction == "" || !digitsOnly(whole) || !digitsOnly(fraction) || strict && exp != "" && len(whole) > 1 {
		return d, false
	}
	d.exp += len(whole)
	digits := whole + fraction
	d.digits = strings.TrimLeft(digits, "0")
	d.exp -= len(digits) - len(d.digits)
	d.digits = strings.TrimRight(d.digits, "0")
	if d.digits == "" {
		return decimal{}, true
	}
	return d, true
}

var leastInt, _ = parseDecimal("-9223372036854775808", false)

func digitsOnly(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

func (d *decimal) compare(o *decimal) int {
	switch {
	case d.sign() != o.sign():
		return cmp.Compare(d.sign(), o.sign())
	case d.digits == "":
		return 0
	}
	order := cmp.Compare(d.exp, o.exp)
	if order == 0 {
		order = strings.Compare(d.digits, o.digits)
	}
	return order * d.sign()
}

func (d *decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.neg:
		return -1
	}
	return 1
}

// int64 returns the greatest integer that is not above d, as far as int64 goes; whole if it is d.
func (d *decimal) int64() (i int64, whole bool) {
	text := "0"
	fraction := len(d.digits) > max(0, d.exp)
	switch {
	case d.exp > 19:
		text = strings.Repeat("9", 20)
	case d.exp > 0:
		text = (d.digits + strings.Repeat("0", 19))[:d.exp]
	}
	if d.neg {
		text = "-" + text
	}
	i, err := strconv.ParseInt(text, 10, 64) // the nearest of the range if it is out of it
	if err != nil {
		return i, false
	}
	if fraction && d.neg && i > math.MinInt64 {
		i--
	}
	return i, !fraction
}

// parseCount parses a whole number, with commas between thousands.
func parseCount(s string) (int64, bool) {
	n, ok := parseNumber(s)
	return n.i, ok && n.whole
}

var byteUnits = []struct {
	suffix string
	factor float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}}

// parseBytes parses a number of bytes: 100, 64KiB, 1.5MB.
func parseBytes(s string) (int64, bool) {
	for _, u := range byteUnits {
		if rest, ok := strings.CutSuffix(s, u.suffix); ok {
			n, ok := parseNumber(strings.TrimSpace(rest))
			return int64(n.f * u.factor), ok && math.Abs(n.f*u.factor) < 1<<62
		}
	}
	return parseCount(s)
}

// parseTime parses a duration with a unit, in nanoseconds: 10ms, 1.5s, 2us, 1m30s, 0.
func parseTime(s string) (int64, bool) {
	s = strings.ReplaceAll(withoutCommas(s), "min", "m")
	d, err := time.ParseDuration(strings.ReplaceAll(s, " ", ""))
	return int64(d), err == nil
}
