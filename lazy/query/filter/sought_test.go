package filter

import (
	"slices"
	"testing"

	"tracex/format"
)

// TestLost: what no captured value has is told with the nearest of what there is, unless a value had it or nothing was captured.
func TestLost(t *testing.T) {
	c := goShop(t)
	item, order := object(statusClass, 9), object(statusClass, 10)
	item.Captured = &format.Captured{Fields: []format.CapturedField{{Name: "RawQuery", Value: intValue(45)}, {Name: "Path", Value: format.Null()}}}
	order.Captured = &format.Captured{Fields: []format.CapturedField{{Name: "URL", Value: item}, {Name: format.MoreFields}}}
	failed := object(fundsClass, 7)
	list := format.Value{Kind: format.ValueArray, ClassID: statusClass, Bits: format.ArrayBits(3, 9), Captured: &format.Captured{Elements: []format.Value{intValue(1)}}}
	calls := []*Facts{
		{Point: &format.Point{Class: format.ClassCall, Ref: transfer, Location: -1, Target: order, Args: []format.Value{failed, order, list}}, Footer: &format.Footer{Result: results(item, failed)}},
		{Point: &format.Point{Class: format.ClassCall, Ref: transfer, Location: -1, Target: format.Null(), Args: []format.Value{failed, format.Null(), list}}, Footer: &format.Footer{Result: results(item, failed)}},
	}
	for _, x := range []struct{ filter, want string }{
		{"arg.to.URL.RawQery=1", "no call has arg.to.URL.RawQery; the nearest: arg.to.URL.RawQuery"},
		{"arg.2.URI.RawQuery=1", "no call has arg.2.URI.RawQuery; the nearest: arg.2.URL.RawQuery"},
		{"arg.2.Sender.Name=1", "no call has arg.2.Sender.Name; there are URL"},
		{"recv.url=1", "no call has recv.url; the nearest: recv.URL"},
		{"in(arg.to.URL.pathh=1) or -arg.to.URL.path=1", "no call has arg.to.URL.path; the nearest: arg.to.URL.Path"},
		{"ret.er!=nil", "no call has ret.er; the nearest: ret.err"},
		{"ret.1.RawQuerry=1", "no call has ret.1.RawQuerry; the nearest: ret.1.RawQuery"},
		{"arg.to.URL.RawQuery=1", ""},
		{"arg.from.anything=1", ""}, // nothing was captured
		{"arg.3.7=1", ""},           // an element that was not captured
		{"ret.err=nil", ""},
		{"arg.to=nil", ""},
	} {
		e := parse(t, x.filter)
		if e.Lost() != nil {
			t.Errorf("%s is lost before anything was tested", x.filter)
		}
		f := bound(t, e, c)
		for _, of := range calls {
			f.Clone().Match(of)
		}
		got := ""
		for _, l := range e.Lost() {
			got += l.Hint()
		}
		if got != x.want {
			t.Errorf("%s: %q, want %q", x.filter, got, x.want)
		}
	}
	e := parse(t, "arg.2.zzzzzz=1")
	many := &format.Captured{}
	for i := range 12 {
		many.Fields = append(many.Fields, format.CapturedField{Name: string(rune('a' + i)), Value: intValue(1)})
	}
	calls[0].Point.Args[1].Captured = many
	bound(t, e, c).Match(calls[0])
	if l := e.Lost(); len(l) != 1 || len(l[0].Names) != 12 || !slices.IsSorted(l[0].Names) || l[0].Hint() != "no call has arg.2.zzzzzz; there are a, b, c, d, e, f, g, h, i, j and 2 more" {
		t.Errorf("%+v", l)
	}
}
