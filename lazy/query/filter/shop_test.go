package filter

import (
	"math"
	"strconv"
	"testing"

	"tracex/format"
)

// Ids of the names that shop makes.
const (
	accountClass = iota
	bankClass
	entryClass
	fundsClass
	statusClass
	resultsClass
)

const (
	withdraw = iota
	transfer
	newAccount
	getKey
	withdrawLong
)

// shop returns the names of a small program.
func shop(t testing.TB) *format.Context { return shopOf(t, format.V27) }

func shopOf(t testing.TB, v format.Version) *format.Context {
	t.Helper()
	c := format.NewContext(v)
	add := func(o interface {
		Append([]byte, format.Version) ([]byte, error)
	}) {
		t.Helper()
		b, err := o.Append(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Add(b); err != nil {
			t.Fatal(err)
		}
	}
	for id, name := range []string{"com.shop.Account", "com.shop.Bank", "java.util.Map$Entry", "com.shop.InsufficientFunds", "com.shop.Status", format.ResultsClass} {
		add(&format.ClassDescriptor{ID: int32(id), Name: name})
	}
	void, number := format.Type{Kind: format.TypeVoid}, format.Type{Kind: format.TypeInt}
	for id, m := range []format.MethodDescriptor{
		withdraw:   {ClassID: accountClass, Name: "withdraw", Result: number, Args: []format.Type{number}},
		transfer:   {ClassID: bankClass, Name: "transfer", Result: void},
		newAccount: {ClassID: accountClass, Name: "<init>", Result: void}, getKey: {ClassID: entryClass, Name: "getKey", Result: number},
		withdrawLong: {ClassID: accountClass, Name: "withdraw", Result: number, Args: []format.Type{{Kind: format.TypeLong}}},
	} {
		m.ID = int32(id)
		add(&m)
	}
	add(&format.FieldDescriptor{ID: 0, ClassID: accountClass, Name: "balance", Type: number})
	add(&format.FieldDescriptor{ID: 1, ClassID: bankClass, Name: "total", Type: number})
	add(&format.VariableDescriptor{ID: 0, Name: "amount", Type: number})
	add(&format.StringObject{ID: 0, Value: "Account.kt"})
	add(&format.CodeLocation{ID: 0, File: 0, Class: -1, Method: -1, Line: 31, Path: -1})
	add(&format.ThreadName{Thread: 0, Name: "main"})
	add(&format.ThreadName{Thread: 1, Name: "worker-1"})
	return c
}

// shopThreads are the threads of shop.
func shopThreads(yield func(int32, string) bool) {
	_ = yield(0, "main") && yield(1, "worker-1") && yield(2, "")
}

func intValue(n int64) format.Value         { return format.Value{Kind: format.ValueInt, Bits: n} }
func stringValue(s string) format.Value     { return format.Value{Kind: format.ValueString, Text: s} }
func object(class, hash int32) format.Value { return format.Value{ClassID: class, Bits: int64(hash)} }

func results(list ...format.Value) format.Value {
	v := object(resultsClass, 0)
	v.Captured = &format.Captured{}
	for i := range list {
		v.Captured.Fields = append(v.Captured.Fields, format.CapturedField{Name: strconv.Itoa(i + 1), Value: list[i]})
	}
	return v
}

func floatOf(f float32) format.Value {
	return format.Value{Kind: format.ValueFloat, Bits: int64(math.Float32bits(f))}
}

func doubleOf(f float64) format.Value {
	return format.Value{Kind: format.ValueDouble, Bits: int64(math.Float64bits(f))}
}
