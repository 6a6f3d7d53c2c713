package instrumented_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"tracex/format"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
	"tracex/recorder/internal/values"
)

// named returns a type with a name. Its id is a hash of that.
func named(kind reflect.Kind, pkg, name string, fields ...raw.Field) *raw.Type {
	id := uint32(1)
	for _, c := range pkg + name {
		id = id*31 + uint32(c)
	}
	t := &raw.Type{ID: id&^raw.TypeOutside | 1<<20, Kind: kind, Flags: raw.TypeNamed, Name: name, Package: pkg, Fields: fields}
	if pkg != "" {
		t.Name = pkg[strings.LastIndexByte(pkg, '/')+1:] + "." + name
	}
	return t
}

// pointer returns the type of pointers to a type.
func pointer(to *raw.Type) *raw.Type {
	return &raw.Type{ID: to.ID + 1, Kind: reflect.Pointer, Name: "*" + to.Name, Element: to.ID}
}

func unnamed(kind reflect.Kind, name string) *raw.Type {
	t := named(kind, "", name)
	t.Flags = 0
	return t
}

func field(t *raw.Type, name string) raw.Field { return raw.Field{Type: t.ID, Name: name} }

// shownValue is a value, how it is shown, and how within a text, such as that of a panic, if that differs.
type shownValue struct {
	typ          *raw.Type
	v            rawtest.Value
	want, within string // within "": the same as want
}

// check converts calls that return the value alone and with others, and that end by a panic with it.
func (c shownValue) check(t *testing.T, f *rawtest.File) {
	t.Helper()
	one := &raw.Function{ID: 1, Results: []uint32{c.typ.ID}, Package: "p", Name: "one"}
	two := &raw.Function{ID: 2, Results: []uint32{c.typ.ID, c.typ.ID}, Package: "p", Name: "two"}
	g := f.Goroutine(1 << 10)
	g.Begin(1, 0, 0, 0)
	g.Enter(one, 0)
	g.Exit(one, c.v)
	g.Enter(two, 0)
	g.Exit(two, c.v, rawtest.Typed(c.typ, c.v))
	g.Enter(one, 0)
	g.Panic(one, rawtest.Typed(c.typ, c.v))
	if c.within == "" {
		c.within = c.want
	}
	first, second, thrown := c.want, c.want, c.within
	if c.want == "null" { // in an interface it is not nil
		first, second, thrown = "nil", "(*Order)(nil)", "(*Order)(nil)"
	}
	want := "# Thread 1 (main)\np.one(): " + c.want + "\np.two(): (" + first + ", " + second + ")\np.one(): threw panic: " + thrown + "\n"
	s, _, got := convert(t, instrumented.Options{}, f)
	if want = strings.TrimPrefix(want, "# Thread 1 (main)\n"); got[strings.IndexByte(got, '\n')+1:] != want || s.Processes[0].Damaged > 0 {
		t.Errorf("%s\nwant\n%s%v", got, want, s.Processes[0].Problems)
	}
	convert(t, instrumented.Options{Version: format.V22}, f)
}

// TestValues: how values are shown, as the only result and as one of several.
func TestValues(t *testing.T) {
	int8Type, int16Type, int64Type := named(reflect.Int8, "", "int8"), named(reflect.Int16, "", "int16"), named(reflect.Int64, "", "int64")
	uint8Type, uint64Type := named(reflect.Uint8, "", "uint8"), named(reflect.Uint64, "", "uint64")
	boolType, complexType := named(reflect.Bool, "", "bool"), named(reflect.Complex128, "", "complex128")
	floatType := named(reflect.Float64, "", "float64")
	errorType := named(reflect.Interface, "", "error")
	level := named(reflect.Int, "example.com/shop", "Level")
	duration := named(reflect.Int64, "time", "Duration")
	order := named(reflect.Struct, "example.com/shop", "Order", field(intType, "ID"), field(stringType, "Item"))
	set := named(reflect.Struct, "example.com/shop", "Set[example.com/x.Key]", field(intType, "n"))
	list := named(reflect.Struct, "example.com/shop", "List", field(pointer(order), "first"), field(order, "last"))
	moment := named(reflect.Struct, "time", "Time", field(uint64Type, "wall"), field(int64Type, "ext"), field(pointer(order), "loc"))
	plain := named(reflect.Struct, "errors", "errorString", field(stringType, "s"))
	wrapped := named(reflect.Struct, "fmt", "wrapError", field(stringType, "msg"), field(errorType, "err"))
	errno := named(reflect.Uintptr, "syscall", "Errno")
	path := named(reflect.Struct, "io/fs", "PathError", field(stringType, "Op"), field(stringType, "Path"), field(errorType, "Err"))
	bounds := named(reflect.Struct, "runtime", "boundsError", field(int64Type, "x"), field(intType, "y"), field(boolType, "signed"), field(uint8Type, "code"))
	typePointer := pointer(named(reflect.Struct, "internal/abi", "Type"))
	assertion := named(reflect.Struct, "runtime", "TypeAssertionError", field(typePointer, "_interface"), field(typePointer, "concrete"), field(typePointer, "asserted"), field(stringType, "missingMethod"))
	errors := unnamed(reflect.Slice, "[]error")
	errors.Element = errorType.ID
	join := named(reflect.Struct, "errors", "joinError", field(errors, "errs"))
	textError, code := named(reflect.String, "example.com/shop", "TextError"), named(reflect.Int, "example.com/shop", "Code")
	ratio, flag := named(reflect.Float64, "example.com/shop", "Ratio"), named(reflect.Bool, "example.com/shop", "Flag")
	ratio.Flags, flag.Flags = ratio.Flags|raw.TypeError, flag.Flags|raw.TypeError
	textError.Flags |= raw.TypeError
	code.Flags |= raw.TypeError
	runtimeText := named(reflect.String, "runtime", "errorString")
	ints, texts := unnamed(reflect.Slice, "[]int"), unnamed(reflect.Map, "map[string]shop.Order")
	array, channel, function := unnamed(reflect.Array, "[4]int"), unnamed(reflect.Chan, "chan shop.Order"), unnamed(reflect.Func, "func(int) shop.Order")
	anonymous := unnamed(reflect.Struct, "struct { X int }")
	anonymous.Fields = []raw.Field{field(intType, "X")}
	bytes := unnamed(reflect.Slice, "[]uint8")
	value := rawtest.Struct(false, rawtest.Int(2), rawtest.String("apple"))
	cause := rawtest.Typed(pointer(plain), rawtest.Pointee(0x1000, rawtest.Struct(false, rawtest.String("boom"))))

	const address = 0xc000123450
	id := fmt.Sprint(values.Identity(address))
	date := time.Date(2024, 2, 29, 12, 30, 0, 5, time.UTC)
	now := time.Now()
	fields := func(t time.Time) rawtest.Value {
		v := reflect.ValueOf(t)
		return rawtest.Struct(false, rawtest.Uint(v.Field(0).Uint()), rawtest.Int(v.Field(1).Int()), rawtest.Nil())
	}
	for name, c := range map[string]shownValue{
		"nil":            {pointer(order), rawtest.Nil(), "null", "nil"},
		"bool":           {boolType, rawtest.Bool(true), "true", ""},
		"int8":           {int8Type, rawtest.Int(-5), "-5", ""},
		"int16":          {int16Type, rawtest.Int(300), "300", ""},
		"int":            {intType, rawtest.Int(1 << 40), "1099511627776", ""},
		"int64":          {int64Type, rawtest.Int(-1), "-1", ""},
		"uint8":          {uint8Type, rawtest.Uint(200), "200", ""},
		"uint64":         {uint64Type, rawtest.Uint(1<<64 - 1), "18446744073709551615", ""},
		"named int":      {level, rawtest.Int(3), "3", ""},
		"duration":       {duration, rawtest.Int(1_500_000_000), "1.5s", ""},
		"float":          {floatType, rawtest.Float(1.5), "1.5", ""},
		"string":         {stringType, rawtest.String("a\x00ß\xff"), "\"a\x00ß�\"", ""},
		"cut":            {stringType, rawtest.Cut("abß"[:3], 10), `"ab…+8"`, ""},
		"unreadable":     {stringType, rawtest.Cut("", 10), `"…+10"`, ""},
		"bytes":          {bytes, rawtest.Bytes(address, 5, "GET /"), `[]byte("GET /")`, ""},
		"more bytes":     {bytes, rawtest.Bytes(address, 50, "\x89PNG"), `[]byte(0x89504e47..., 50 bytes)`, ""},
		"pointer":        {pointer(order), rawtest.Address(address), "Order@" + id, ""},
		"generic":        {pointer(set), rawtest.Address(address), "Set[Key]@" + id, ""},
		"channel":        {channel, rawtest.Address(address), "chan Order@" + id, ""},
		"slice":          {ints, rawtest.Slice(address, 3), "[]int@" + id, "[]int len 3"},
		"elements":       {ints, rawtest.Elements(address, 3, rawtest.Int(1), rawtest.Int(2)), "[]int@" + id, "[]int{1, 2, …+1}"},
		"all elements":   {ints, rawtest.Elements(address, 1, rawtest.Int(1)), "[]int@" + id, "[]int{1}"},
		"no elements":    {ints, rawtest.Elements(address, 4), "[]int@" + id, "[]int{…+4}"},
		"items":          {array, rawtest.Items(rawtest.Int(1), rawtest.Int(2), rawtest.Int(3), rawtest.Int(4)), "[4]int{1, 2, 3, 4}", ""},
		"fewer items":    {array, rawtest.Items(rawtest.Int(1)), "[4]int{1, …+3}", ""},
		"map":            {texts, rawtest.Map(address, 3), "map[string]Order@" + id, "map[string]Order len 3"},
		"function":       {function, rawtest.Func(address, 1), "func@" + id, ""},
		"array":          {array, rawtest.Mark(raw.ValueArray), "[4]int{…}", ""},
		"struct":         {order, value, `Order{ID:2, Item:"apple"}`, ""},
		"struct, lines":  {order, rawtest.Struct(false, rawtest.Int(2), rawtest.String("a\\b\n\r\tc\"")), `Order{ID:2, Item:"a\\b\n\r\tc""}`, ""},
		"fields missing": {order, rawtest.Struct(true, rawtest.Int(2)), "Order{ID:2, …}", ""},
		"pointee":        {pointer(order), rawtest.Pointee(address, value), "Order@" + id, `&Order{ID:2, Item:"apple"}`},
		"nested":         {list, rawtest.Struct(false, rawtest.Address(address), value), `List{first:Order@` + id + `, last:Order{ID:2, Item:"apple"}}`, ""},
		"no name":        {anonymous, rawtest.Struct(false, rawtest.Int(2)), "struct{X:2}", ""},
		"time":           {moment, fields(date), "2024-02-29T12:30:00.000000005Z", ""},
		"wall time":      {moment, fields(now), now.UTC().Format(time.RFC3339Nano), ""},
		"large":          {order, rawtest.Mark(raw.ValueLarge), "Order{…}", ""},
		"left out":       {order, rawtest.Mark(raw.ValueLeftOut), "…", ""},

		"error":                 {pointer(plain), rawtest.Pointee(address, rawtest.Struct(false, rawtest.String("boom"))), "errorString@" + id + `("boom")`, "errors.errorString: boom"},
		"error, lines":          {pointer(plain), rawtest.Pointee(address, rawtest.Struct(false, rawtest.String("a\nb"))), "errorString@" + id + `("a\nb")`, `errors.errorString: a\nb`},
		"error, cut":            {pointer(plain), rawtest.Pointee(address, rawtest.Struct(false, rawtest.Cut("boom", 5))), "errorString@" + id + `("boom…+1")`, "errors.errorString: boom…+1"},
		"wrapped":               {pointer(wrapped), rawtest.Pointee(address, rawtest.Struct(false, rawtest.String("x: boom"), cause)), "wrapError@" + id + `("x: boom")`, "fmt.wrapError: x: boom"},
		"path error":            {pointer(path), rawtest.Pointee(address, rawtest.Struct(false, rawtest.String("open"), rawtest.String("f"), rawtest.Typed(errno, rawtest.Uint(2)))), "PathError@" + id + `("open f: no such file or directory")`, "fs.PathError: open f: no such file or directory"},
		"errno":                 {errno, rawtest.Uint(2), `Errno@0("no such file or directory")`, "no such file or directory"},
		"bounds":                {bounds, rawtest.Struct(false, rawtest.Int(5), rawtest.Int(3), rawtest.Bool(true), rawtest.Uint(0)), `boundsError@0("runtime error: index out of range [5] with length 3")`, "runtime error: index out of range [5] with length 3"},
		"negative":              {bounds, rawtest.Struct(false, rawtest.Int(-5), rawtest.Int(3), rawtest.Bool(true), rawtest.Uint(3)), `boundsError@0("runtime error: slice bounds out of range [-5:]")`, "runtime error: slice bounds out of range [-5:]"},
		"assertion":             {pointer(assertion), rawtest.Pointee(address, rawtest.Struct(false, rawtest.String("interface {}"), rawtest.String("string"), rawtest.String("int"), rawtest.String(""))), "TypeAssertionError@" + id + `("interface conversion: interface {} is string, not int")`, "interface conversion: interface {} is string, not int"},
		"assertion of nil":      {pointer(assertion), rawtest.Pointee(address, rawtest.Struct(false, rawtest.String("error"), rawtest.Nil(), rawtest.String("*fs.PathError"), rawtest.String(""))), "TypeAssertionError@" + id + `("interface conversion: error is nil, not *fs.PathError")`, "interface conversion: error is nil, not *fs.PathError"},
		"missing method":        {pointer(assertion), rawtest.Pointee(address, rawtest.Struct(false, rawtest.Nil(), rawtest.String("string"), rawtest.String("main.S"), rawtest.String("M"))), "TypeAssertionError@" + id + `("interface conversion: string is not main.S: missing method M")`, "interface conversion: string is not main.S: missing method M"},
		"assertion of any type": {pointer(assertion), rawtest.Pointee(address, rawtest.Struct(false, rawtest.Nil(), rawtest.String("string"), rawtest.String("int"), rawtest.String(""))), "TypeAssertionError@" + id + `("interface conversion: interface is string, not int")`, "interface conversion: interface is string, not int"},
		"types of one name": {pointer(assertion), rawtest.Pointee(address, rawtest.Struct(false, rawtest.Nil(), rawtest.String("main.T"), rawtest.String("main.T"), rawtest.String(""))), "TypeAssertionError@" + id,
			`TypeAssertionError{_interface:nil, concrete:"main.T", asserted:"main.T", missingMethod:""}`},
		"runtime error, cut": {runtimeText, rawtest.Cut("division", 16), `errorString@0("runtime error: division…+8")`, "runtime error: division…+8"},
		"long text":          {pointer(plain), rawtest.Pointee(address, rawtest.Struct(false, rawtest.Text(strings.Repeat("ab", 150)+"ß"[:1], 310))), "errorString@" + id + `("` + strings.Repeat("ab", 150) + `…+10")`, "errors.errorString: " + strings.Repeat("ab", 150) + "…+10"},
		"wrapped, no room":   {pointer(wrapped), rawtest.Pointee(address, rawtest.Struct(true, rawtest.String("x: boom"))), "wrapError@" + id + `("x: boom")`, "fmt.wrapError: x: boom"},
		"joined":             {pointer(join), rawtest.Pointee(address, rawtest.Struct(false, rawtest.Elements(address, 3, cause, cause))), "joinError@" + id + `("boom\nboom\n…+1 error")`, `errors.joinError: boom\nboom\n…+1 error`},
		"three more joined":  {pointer(join), rawtest.Pointee(address, rawtest.Struct(false, rawtest.Elements(address, 4, cause))), "joinError@" + id + `("boom\n…+3 errors")`, `errors.joinError: boom\n…+3 errors`},
		"not joined":         {pointer(join), rawtest.Pointee(address, rawtest.Struct(false, rawtest.Slice(address, 3))), "joinError@" + id, "joinError{errs:[]error len 3}"},
		"text error":         {textError, rawtest.String("e\nss"), `shop.TextError("e\nss")`, ""},
		"cut text error":     {textError, rawtest.Text("ess", 9), `shop.TextError("ess…+6")`, ""},
		"number error":       {code, rawtest.Int(-3), "shop.Code(-3)", ""},
		"float error":        {ratio, rawtest.Float(1.5), "shop.Ratio(1.5)", ""},
		"truth error":        {flag, rawtest.Bool(true), "shop.Flag(true)", ""},
		"runtime error":      {runtimeText, rawtest.String("division by zero"), `errorString@0("runtime error: division by zero")`, "runtime error: division by zero"},
	} {
		t.Run(name, func(t *testing.T) {
			f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter})
			for _, typ := range []*raw.Type{intType, stringType, int8Type, int16Type, int64Type, uint8Type, uint64Type, boolType, complexType, floatType, errorType, level,
				duration, order, pointer(order), set, pointer(set), list, moment, plain, pointer(plain), wrapped, pointer(wrapped), errno, path, pointer(path), bounds, assertion, pointer(assertion), typePointer, runtimeText,
				errors, join, pointer(join), textError, code, ratio, flag,
				ints, texts, array, channel, function, anonymous, bytes} {
				f.Type(typ)
			}
			c.check(t, f)
		})
	}
}
