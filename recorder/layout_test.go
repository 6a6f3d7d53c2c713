package recorder

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tracex/recorder/internal/values"
	"tracex/recorder/internal/versiontest"
)

// utf returns a utf in hexadecimal.
func utf(s string) string { return fmt.Sprintf("%04x%x", len(s), s) }

// encodedAs returns the bytes of a value in hexadecimal.
func encodedAs(r *Recorder, v Value) string {
	by := r.terms().Terms
	b := make([]byte, v.v.Room(&by))
	return hex.EncodeToString(b[:v.v.Put(b, &by)])
}

// Values have the bytes that the description of the format gives them, whichever recorder
// writes them: they do not depend on the version.
func TestValueBytes(t *testing.T) {
	long := strings.Repeat("x", 60)
	kept := strings.Repeat("x", 50) + "..."
	for _, c := range []struct {
		name  string
		value Value
		in    [2]string
	}{
		{"null", Null(), [2]string{"ffffffff", "00"}},
		{"void", Void(), [2]string{"fffffffe", "01"}},
		{"byte", Int8(-2), [2]string{"fffffffdfe", "03fe"}},
		{"short", Int16(-2), [2]string{"fffffffcfffe", "04fffe"}},
		{"int", Int(-2), [2]string{"fffffffbfffffffe", "05fffffffe"}},
		{"int of 32 bits", Int32(0x01020304), [2]string{"fffffffb01020304", "0501020304"}},
		{"large int", Int(1 << 40), [2]string{"fffffffa0000010000000000", "060000010000000000"}},
		{"long", Int64(-2), [2]string{"fffffffafffffffffffffffe", "06fffffffffffffffe"}},
		{"float", Float32(1.5), [2]string{"fffffff93fc00000", "073fc00000"}},
		{"double", Float64(1.5), [2]string{"fffffff83ff8000000000000", "083ff8000000000000"}},
		{"char", Char('ü'), [2]string{"fffffff700fc", "0900fc"}},
		{"boolean", Bool(true), [2]string{"fffffff301", "0a01"}},
		{"string", String("text"), [2]string{"fffffff6" + utf("text"), "0b" + utf("text")}},
		{"string that is cut", String(long), [2]string{"fffffff6" + utf(kept), "0b" + utf(kept)}},
		{"uint", Uint(7), [2]string{"fffffffb00000007", "0500000007"}},
		{"largest uint", Uint(1<<64 - 1), [2]string{"fffffff4" + utf("18446744073709551615"), "0d" + utf("18446744073709551615")}},
		{"raw", Raw("Red"), [2]string{"fffffff4" + utf("Red"), "0e" + utf("Red")}},
		{"raw number", Raw("-340"), [2]string{"fffffff4" + utf("-340"), "0d" + utf("-340")}},
		{"raw decimal", Raw("34.5"), [2]string{"fffffff4" + utf("34.5"), "0e" + utf("34.5")}},
		{"raw digits that are no number", Raw("007"), [2]string{"fffffff4" + utf("007"), "0e" + utf("007")}},
		{"raw digits that are cut", Raw(strings.Repeat("1", 60)), [2]string{
			"fffffff4" + utf(strings.Repeat("1", 50)+"..."), "0e" + utf(strings.Repeat("1", 50)+"...")}},
		{"no text", Raw(""), [2]string{"fffffff40000", "0e0000"}},
		{"type", TypeName("shop.Order"), [2]string{"fffffff2" + utf("shop.Order"), "0e" + utf("shop.Order")}},
		{"duration", Duration(1500 * time.Millisecond), [2]string{"fffffff4" + utf("1.5s"), "0e" + utf("1.5s")}},
		{"moment", Time(time.Unix(0, 0)), [2]string{"fffffff4" + utf("1970-01-01T00:00:00Z"), "0e" + utf("1970-01-01T00:00:00Z")}},
		{"bytes", Bytes([]byte("GET /")), [2]string{"fffffff4" + utf(`[]byte("GET /")`), "0e" + utf(`[]byte("GET /")`)}},
		{"unfinished", unfinished, [2]string{"fffffff6" + utf("<unfinished method>"), "18"}},
		{"untracked", Value{values.Untracked}, [2]string{"fffffff4" + utf("<untracked result>"), "19"}},
	} {
		for i, version := range versiontest.Versions {
			r := start(t, Config{create: toDiscard, FormatVersion: version})
			if got := encodedAs(r, c.value); got != c.in[i] {
				t.Errorf("%s in %d is %s, want %s", c.name, version, got, c.in[i])
			}
		}
	}
}

// declined is an error type of the program.
type declined struct{ Code int }

func (declined) Error() string { return "refused" }

// Values with a class have the bytes that the description of the format gives them.
func TestReferenceBytes(t *testing.T) {
	failed := errors.New("no such order")
	identity := func(v Value) string { return fmt.Sprintf("%08x", uint32(v.v.Bits)) }
	for i, version := range versiontest.Versions {
		for _, c := range []struct {
			name  string
			value func(r *Recorder) Value
			in    [2]string // C for the class, I for the identity
		}{
			{"object", func(r *Recorder) Value { return Object(r.Class("C"), 7) }, [2]string{"C0000000700000000", "0fC00000007"}},
			{"error with its text", func(r *Recorder) Value { return Error(failed) }, [2]string{
				"fffffff4" + utf("errors.errorString: no such order"), "15CI01" + utf("no such order") + "00000000"}},
			{"error", func(r *Recorder) Value { return r.Of(&declined{7}) }, [2]string{"CI00000000", "14CI"}},
			{"error that is no pointer", func(r *Recorder) Value { return r.Of(declined{7}) }, [2]string{"C0000000000000000", "14C00000000"}},
			{"struct", func(r *Recorder) Value { return r.Capture(declined{7}) }, [2]string{
				"C0000000000000001" + utf("Code") + "fffffffb00000007", "10C0000000000000001" + utf("Code") + "0500000007"}},
			{"empty struct", func(r *Recorder) Value { return r.Capture(struct{}{}) }, [2]string{"C0000000000000000", "0fC00000000"}},
			{"array", func(r *Recorder) Value { return r.Capture([2]bool{true, false}) }, [2]string{
				"C00000000fffffffdfffffff301fffffff30000000002", "12C0000000000000002000000020a010a00"}},
			{"empty array", func(r *Recorder) Value { return r.Capture([0]bool{}) }, [2]string{
				"C00000000ffffffff00000000", "11C0000000000000000"}},
		} {
			r := start(t, Config{create: toDiscard, FormatVersion: version})
			v := c.value(r)
			// Classes are registered one by one: the last one is this value's.
			got := encodedAs(r, v)
			class := fmt.Sprintf("%08x", uint32(r.Class("another"))-2)
			want := strings.NewReplacer("C", class, "I", identity(v)).Replace(c.in[i])
			if got != want {
				t.Errorf("%s in %d is %s, want %s", c.name, version, got, want)
			}
		}
	}
}

// Trace points and footers have the bytes that the description of the format gives them.
func TestPointBytes(t *testing.T) {
	for i, version := range versiontest.Versions {
		r := start(t, Config{create: toDiscard, FormatVersion: version, NoTimes: true})
		r.sink = nowhere{r.sink}
		c := r.Class("C")
		m, f, v := r.Method(c, "m", Type{}), r.Field(c, "f", FieldInfo{}), r.Variable("v", Type{})
		at := r.Location(CodeLocation{File: "a.go", Line: 3})
		for _, c := range []struct {
			name   string
			record func(th *Thread)
			in     [2]string // in front of each: its kind; P for location, thread and event, no diff
		}{
			{"call without arguments", func(th *Thread) { th.Enter(m, at, Null()); th.Exit(Void()) }, [2]string{
				"0800P00" + "00000000" + "ffffffff" + "00000000" + "0000" + "09fffffffe0000",
				"0806Pff" + "00000000" + "00" + "00000000" + "0000" + "090100"}},
			{"call with an argument", func(th *Thread) { th.Enter(m, at, Int(1), Int(2)); th.Exit(Int(3)) }, [2]string{
				"0800P00" + "00000000" + "fffffffb00000001" + "00000001" + "fffffffb00000002" + "0000" + "09fffffffb000000030000",
				"0806Pff" + "00000000" + "0500000001" + "00000001" + "0500000002" + "0000" + "09050000000300"}},
			{"call that threw", func(th *Thread) { th.Enter(m, at, Null()); th.Panic("E") }, [2]string{
				"0800P00" + "00000000" + "ffffffff" + "00000000" + "0000" + "09fffffffe" + utf("E"),
				"0806Pff" + "00000000" + "00" + "00000000" + "0000" + "091801" + utf("E")}},
			{"variable read", func(th *Thread) { th.ReadVariable(v, at, Null()) }, [2]string{"0802P00000000ffffffff", "0805P0000000000"}},
			{"variable write", func(th *Thread) { th.WriteVariable(v, at, Null()) }, [2]string{"0805P00000000ffffffff", "0802P0000000000"}},
			{"field read", func(th *Thread) { th.ReadField(f, at, Null(), Int(1)) }, [2]string{
				"0803P00000000fffffffffffffffb00000001", "0803P00000000000500000001"}},
			{"field write", func(th *Thread) { th.WriteField(f, at, Null(), Int(1)) }, [2]string{
				"0806P00000000fffffffffffffffb00000001", "0800P00000000000500000001"}},
			{"array read", func(th *Thread) { th.ReadElement(Null(), 2, at, Null()) }, [2]string{"0801Pffffffff00000002ffffffff", "0804P000000000200"}},
			{"array write", func(th *Thread) { th.WriteElement(Null(), 2, at, Null()) }, [2]string{"0804Pffffffff00000002ffffffff", "0801P000000000200"}},
			{"throw", func(th *Thread) { th.Throw(Null(), at) }, [2]string{"080aPffffffff", "0809P00"}},
			{"catch", func(th *Thread) { th.Catch(Null(), at) }, [2]string{"080bPffffffff", "080aP00"}},
			{"loop", func(th *Thread) { th.Loop(at); th.EndLoop() }, [2]string{
				"0807P00" + "00000001" + "0900000000", "0807Pff" + "00000001" + "0900000000"}},
		} {
			th := r.Thread(c.name)
			c.record(th)
			point := fmt.Sprintf("%08x%08x%08xff", uint32(at)-1, th.file.ID, th.next-1)
			got := hex.EncodeToString(th.chunk.Load().Data[:th.bytes])
			if want := strings.Replace(c.in[i], "P", point, 1); got != want {
				t.Errorf("%s in %d is %s, want %s", c.name, version, got, want)
			}
			th.End()
		}
	}
}

// A loop's iterations are numbered from 0.
func TestIterationBytes(t *testing.T) {
	for i, version := range versiontest.Versions {
		r := start(t, Config{create: toDiscard, FormatVersion: version, NoTimes: true})
		r.sink = nowhere{r.sink}
		at := r.Location(CodeLocation{File: "a.go", Line: 3})
		th := r.Thread("main")
		th.Loop(at)
		from := th.bytes
		th.Iteration(at)
		want := fmt.Sprintf("0808%08x%08x%08xff%s%08x%08x", uint32(at)-1, th.file.ID, th.next-1, []string{"00", "ff"}[i], uint32(at), 0)
		if got := hex.EncodeToString(th.chunk.Load().Data[from:th.bytes]); got != want {
			t.Errorf("an iteration in %d is %s, want %s", version, got, want)
		}
	}
}
