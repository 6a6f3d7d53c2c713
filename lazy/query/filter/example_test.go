package filter_test

import (
	"fmt"

	"tracex/format"
	"tracex/lazy/query/filter"
)

func ExampleParse() {
	e, err := filter.Parse(`method=withdraw (ret<0 or threw) and not "read only"`)
	fmt.Println(e, err)
	_, err = filter.Parse("methd=withdraw")
	fmt.Println(err)
	// Output:
	// method=withdraw (ret<0 or threw) -"read only" <nil>
	// column 1: there is no field methd; the nearest: method; for the text, put it in quotes
}

func ExampleExpr_Bind() {
	c := format.NewContext(format.V27)
	for _, o := range []interface {
		Append([]byte, format.Version) ([]byte, error)
	}{
		&format.ClassDescriptor{ID: 0, Name: "com.shop.Account"},
		&format.MethodDescriptor{ID: 0, ClassID: 0, Name: "withdraw", Result: format.Type{Kind: format.TypeInt}},
	} {
		b, _ := o.Append(nil, format.V27)
		c.Add(b)
	}
	about := filter.About{Context: c}

	e, _ := filter.Parse("method=Account.withdraw ret<0")
	f, _ := e.Bind(about)
	call := format.Point{Class: format.ClassCall, Ref: 0, Target: format.Null()}
	result := format.Footer{Result: format.Value{Kind: format.ValueInt, Bits: -20}}
	fmt.Println(f.Match(&filter.Facts{Point: &call, Footer: &result}))
	fmt.Println(f.Quick(format.ClassCall, 0, 0), f.Quick(format.ClassLoop, 0, 0))

	e, _ = filter.Parse("method=Acount.withdraw")
	_, err := e.Bind(about)
	fmt.Println(err)
	e, _ = filter.Parse("dur>1s")
	_, err = e.Bind(about)
	fmt.Println(err)
	// Output:
	// true
	// maybe no
	// column 8: this trace has no method Acount.withdraw; the nearest: Account.withdraw
	// column 1: this trace has no times: dur matches nothing; size and kids tell how much is in a call
}
