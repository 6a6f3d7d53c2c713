package filter

import (
	"errors"
	"testing"

	"tracex/format"
)

// goShop is shop with what code locations tell of names: Bank.transfer is a function of Go, transfer(from, to, _) (left, error), and
// a location is in Account.withdraw(amount) of the JVM, which has an overload, and in its constructor.
func goShop(t testing.TB) *format.Context {
	t.Helper()
	c := shop(t)
	add := func(b []byte, err error) {
		t.Helper()
		if err == nil {
			_, _, err = c.Add(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const first = 10
	words := []string{"com/shop/Account", "withdraw", "amount", "com.shop.Bank", "transfer", "bank.go", "b", "from", "to", format.Unnamed, "left", format.ErrorResult, "<init>", "this"}
	id := make(map[string]int32)
	for i, word := range words {
		id[word] = int32(first + i)
		add((&format.StringObject{ID: id[word], Value: word}).Append(nil, format.V27))
	}
	type local struct {
		kind format.ActiveKind
		name string
	}
	location := func(n int32, file int32, class, method string, locals ...local) {
		l := format.CodeLocation{ID: n, File: file, Class: id[class], Method: id[method], Line: n, Path: -1}
		for _, x := range locals {
			l.Locals, l.LocalKinds = append(l.Locals, id[x.name]), append(l.LocalKinds, x.kind)
		}
		add(l.Append(nil, format.V27))
	}
	const this, parameter, variable = format.ActiveThis, format.ActiveParameter, format.ActiveVariable
	location(1, id["bank.go"], "com.shop.Bank", "transfer", local{this, "b"}, local{parameter, "from"}, local{parameter, "to"}, local{parameter, "_"}, local{variable, "left"}, local{variable, "error"})
	location(2, 0, "com/shop/Account", "withdraw", local{this, "this"}, local{parameter, "amount"}, local{variable, "left"})
	location(3, 0, "com/shop/Account", "<init>", local{this, "this"}, local{variable, "left"})
	return c
}

// TestOperands: arguments and results by their names. Which of two overloads has the parameter is not known, nor are more arguments
// than parameters.
func TestOperands(t *testing.T) {
	c := goShop(t)
	failed := object(fundsClass, 7)
	item := object(statusClass, 9)
	item.Captured = &format.Captured{Fields: []format.CapturedField{{Name: "ID", Value: intValue(45)}, {Name: "größe", Value: format.Null()}}}
	call := func(method int32, result format.Value, args ...format.Value) *Facts {
		return &Facts{Point: &format.Point{Class: format.ClassCall, Ref: method, Location: -1, Target: item, Args: args}, Footer: &format.Footer{Result: result}}
	}
	for _, x := range []struct {
		filter string
		of     *Facts
		want   bool
	}{
		{"arg.from=3", call(transfer, results(item, failed), intValue(3), item, intValue(5)), true},
		{"arg.from!=3", call(transfer, results(item, failed), intValue(3), item, intValue(5)), false},
		{"arg.to.ID>40", call(transfer, results(item, failed), intValue(3), item, intValue(5)), true},
		{"arg.to.größe=nil", call(transfer, results(item, failed), intValue(3), item, intValue(5)), true},
		{"arg.to.name!=1", call(transfer, results(item, failed), intValue(3), item, intValue(5)), false},
		{"-arg.to.name=1", call(transfer, results(item, failed), intValue(3), item, intValue(5)), true},
		{"arg._=5", call(transfer, results(item, failed), intValue(3), item, intValue(5)), false},
		{"arg.b=5", call(transfer, results(item, failed), intValue(3), item, intValue(5)), false},
		{"arg.from=3", call(transfer, results(item, failed), intValue(3)), false},
		{"arg.from=3", call(newAccount, results(item, failed), intValue(3), item, intValue(5)), false},
		{"arg.amount=3", call(withdraw, intValue(1), intValue(3)), false},
		{"recv.ID=45", call(withdraw, intValue(1), intValue(3)), true},
		{"ret.err!=nil", call(transfer, results(item, failed)), true},
		{"ret.error=InsufficientFunds", call(transfer, results(item, failed)), true},
		{"ret.left.ID=45", call(transfer, results(item, failed)), true},
		{"ret.1.ID=45", call(transfer, results(item, failed)), true},
		{"ret.ID=45", call(transfer, results(item, failed)), false},
		{"ret.err!=nil", call(transfer, results(item, failed, failed)), false},
		{"ret.ID=45", call(withdraw, item), true},
		{"ret.1.ID=45", call(withdraw, item), true},
		{"ret.2.ID=45", call(withdraw, item), false},
		{"ret.left.ID=45", call(withdraw, item), false},
	} {
		f := bound(t, parse(t, x.filter), c)
		if got := f.Match(x.of); got != x.want {
			t.Errorf("%s: %v of %+v %+v", x.filter, got, x.of.Point, x.of.Footer)
		}
		if again := parse(t, x.filter).String(); again != x.filter {
			t.Errorf("%s is written %s", x.filter, again)
		}
	}
}

// TestNoOperand: a name that no call has is an error that tells those there are, of the methods that the filter may match.
func TestNoOperand(t *testing.T) {
	for _, x := range []struct{ filter, want string }{
		{"arg.form=1", "column 1: no call has a parameter form; the nearest: from"},
		{"threw arg.elsewhere=1", "column 7: no call has a parameter elsewhere; there are from, to"},
		{"method=transfer arg.amount=1", "column 17: no call of transfer has a parameter amount; there are from, to"},
		{"in(method=transfer arg.amount=1)", "column 20: no call of transfer has a parameter amount; there are from, to"},
		{"method=transfer ret.lift=1", "column 17: no call of transfer has a result lift; the nearest: left"},
		{"arg._=1", "column 1: no call has a parameter _; there are from, to"},
		{"method=transfer arg.to=1", ""},
		{"arg.amount=1", "column 1: no call has a parameter amount; there are from, to"},
		{"arg.from.anything=1", ""},
		{"ret.anything=1", ""},
		{"thread=worker-1 arg.from=1", ""},
		{"thread!=main arg.from=1", ""},
		{"-thread=main arg.form=1", "column 14: no call has a parameter form; the nearest: from"},
	} {
		_, err := parse(t, x.filter).Bind(About{Context: goShop(t), Timed: true, Threads: shopThreads})
		var fault *Error
		if got := ""; errors.As(err, &fault) {
			if got = err.Error(); got != x.want || !fault.Absent {
				t.Errorf("%s: %s\nwant %s", x.filter, got, x.want)
			}
		} else if x.want != "" || err != nil {
			t.Errorf("%s: %v, want %s", x.filter, err, x.want)
		}
	}
	if _, err := parse(t, "arg.from=1").Bind(About{Context: shop(t)}); err == nil || err.Error() != "column 1: this trace has no names of parameters; arg.1 is the first" {
		t.Error(err)
	}
}
