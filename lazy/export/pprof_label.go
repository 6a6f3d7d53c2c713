package export

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
)

// labeller finds the value that a call is labelled with.
type labeller struct {
	key      string
	argument int // from 0; -1 for the result, -2 for the receiver
}

const (
	labelResult   = -1
	labelReceiver = -2
)

// Kinds of labels, in their first byte.
const (
	labelIsNumber = 'n' // a varint follows
	labelIsText   = 's'
)

// mostLabel bounds the text of a label, in bytes.
const mostLabel = 200

// newLabeller reads Options.Label: arg.1 and so on, ret or recv, as in filters.
func newLabeller(j *Job) (*labeller, error) {
	l := &labeller{key: j.Label}
	switch n, isArg := strings.CutPrefix(j.Label, "arg."); {
	case j.Label == "ret":
		l.argument = labelResult
	case j.Label == "recv":
		l.argument = labelReceiver
	case isArg:
		i, err := strconv.ParseUint(n, 10, 16)
		if err != nil || i == 0 {
			return nil, fmt.Errorf("%q is no argument: arg.1 is the first", j.Label)
		}
		l.key, l.argument = argName(int(i-1)), int(i-1)
	default:
		return nil, fmt.Errorf("%q is no label: arg.1 is the first argument of a call, ret its result, recv its receiver", j.Label)
	}
	if j.NoValues {
		return nil, errors.New("a label is a value of the program, and values are to be left out")
	}
	return l, nil
}

// append appends the label of a call that is being left; nothing if it has none.
func (l *labeller) append(dst []byte, p *lazy.PassPoint) []byte {
	v := l.value(p)
	if v == nil {
		return dst
	}
	if ScalarOf(v) == Integer && v.Bits != 0 { // to readers, the number 0 is no label
		return binary.AppendVarint(append(dst, labelIsNumber), v.Bits)
	}
	dst = append(dst, labelIsText)
	at := len(dst)
	dst = AppendText(dst, p.Context(), v)
	if len(dst)-at > mostLabel {
		dst = append(dst[:at+len(cutText(dst[at:], mostLabel))], "…"...)
	}
	return dst
}

// value returns the value that a label is made of; nil if there is none. Errors end the pass.
func (l *labeller) value(p *lazy.PassPoint) *format.Value {
	if l.argument == labelResult {
		f, err := p.Footer()
		if err != nil || f == nil || f.Threw || f.Exception != "" || p.State != lazy.StateWhole || f.Result.Kind == format.ValueVoid {
			return nil
		}
		return &f.Result
	}
	point, err := p.Point()
	switch {
	case err != nil:
	case l.argument == labelReceiver && point.Target.Kind != format.ValueNull:
		return &point.Target
	case l.argument >= 0 && l.argument < len(point.Args):
		return &point.Args[l.argument]
	}
	return nil
}

func (l *labeller) message(dst []byte, p *pprof, label string) []byte {
	dst = number(dst, labelKey, p.text(l.key))
	if label[0] == labelIsNumber {
		n, _ := binary.Varint([]byte(label[1:]))
		return number(dst, labelNumber, uint64(n))
	}
	return number(dst, labelString, p.text(validText(label[1:])))
}
