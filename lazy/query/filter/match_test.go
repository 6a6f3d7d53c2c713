package filter

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tracex/format"
)

// A point for the tables below, with its facts.
func aCall(method int32, result format.Value, args ...format.Value) *Facts {
	return &Facts{Point: &format.Point{Class: format.ClassCall, Ref: method, Target: object(accountClass, 129378), Args: args, Diff: format.DiffNone, Event: 182771},
		Footer: &format.Footer{Result: result}, Thread: 1, Depth: 3, At: 2e9, Duration: 15e6, Self: 1e6, Kids: 2, Size: 70000,
		Known: KnownDepth | KnownAt | KnownDuration | KnownSelf | KnownKids | KnownSize}
}

func threwCall(class string) *Facts {
	x := aCall(withdraw, format.Value{Kind: format.ValueVoid})
	x.Footer = &format.Footer{Exception: class, Threw: true, Result: format.Value{Kind: format.ValueUnfinished}}
	return x
}

func leaf(class format.Class, ref int32, target, value format.Value) *Facts {
	return &Facts{Point: &format.Point{Class: class, Ref: ref, Target: target, Value: value, Diff: format.DiffNone, Location: -1}}
}

func matches(t *testing.T, name string, x *Facts, yes, no []string) {
	t.Helper()
	c := shop(t)
	for i, text := range append(append([]string{}, yes...), no...) {
		f, err := parse(t, text).Bind(About{Context: c, Timed: true, Growing: true})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		want := i < len(yes)
		if f.Match(x) != want || f.Clone().Match(x) != want {
			t.Errorf("%s: %s: not %v", name, text, want)
		}
		if v := f.Quick(x.Point.Class, x.Point.Ref, x.Thread); v == Yes && !want || v == No && want {
			t.Errorf("%s: %s: quick says %v", name, text, v)
		}
		opposite, err := parse(t, text).Not().Bind(About{Context: c, Timed: true, Growing: true})
		if err != nil {
			t.Fatal(err)
		}
		if opposite.Match(x) == want {
			t.Errorf("%s: %s: its opposite is %v too", name, text, want)
		}
	}
}

// list is matches for texts separated by white space: _ is a space, and what ends in ;no must not match.
func list(t *testing.T, name string, x *Facts, texts string) {
	t.Helper()
	var yes, no []string
	for _, s := range strings.Fields(texts) {
		s, isNo := strings.CutSuffix(s, ";no")
		if s = strings.ReplaceAll(s, "_", " "); isNo {
			no = append(no, s)
		} else {
			yes = append(yes, s)
		}
	}
	matches(t, name, x, yes, no)
}

func TestMatchCall(t *testing.T) {
	list(t, "call", aCall(withdraw, intValue(-20), intValue(120), stringValue("Ann B"), format.Null()), `
		method=withdraw method=Account.withdraw method=com.shop.Account.withdraw method=with* method="with*";no method~^with method~Account.with
		method:with method:unt.with method:With;no method!=transfer method!=withdraw;no method=transfer;no method=draw;no
		class=Account class=com.shop.Account class!=Bank class=Bank;no pkg=com.shop pkg=com.* pkg=com.shop.* pkg~shop pkg=com;no pkg=shop;no pkg=org.*;no
		thread=2 thread=worker-1 thread!=main thread~^work thread=1;no thread=main;no kind=call kind!=loop kind=loop;no kind!=call;no
		event=182771 event=#182,771 #182771 event=100000..200000 event>5 event=..5;no event!=182771;no event=182772..;no
		depth=3 depth<4 depth>3;no at=1s..3s at>1.5s at<1s;no dur>10ms dur<=15ms dur=10ms..20ms dur!=1s dur>15ms;no dur<1m
		self<2ms self>=1ms self>1ms;no kids=2 kids>2;no size>64KiB size<70KB;no size=70KB size<1MiB
		ret=-20 ret<0 ret!=5 ret!=-20;no ret~^-2 ret:20 ret=-30..-10 ret=..0 ret=0..;no ret!=null ret=null;no ret="-20";no ret=-20.0 ret<-19.5 ret>-19.5;no ret=void;no ret!=void
		arg=120 arg.1=120 arg>100 arg.1!=5 arg.1=121;no arg.2="Ann_B" arg.2=Ann*B arg.2="Ann*B";no arg.2~^Ann arg.2~B$ arg.2:ann arg.2:ANN;no arg=null arg.3=null
		arg.4=null;no arg.4!=null;no arg.3<5;no arg.3!=5
		recv=Account@129378 recv=com.shop.Account@129378 recv=@129378 recv=Account recv=Acc* recv!=null recv=Bank@129378;no recv=Account@5;no recv!=Account@5
		obj=Account@129378 obj=129378 obj=Account obj:account obj~^Account@ obj=Bank;no obj=5;no obj:ann;no
		threw;no threw=false threw!=true threw=true;no exc;no exc=Timeout;no exc!=Timeout;no
		Account.withdraw account.with com.shop.account com.shop shop;no shop.acc "withdraw()";no Account.withdraw() withdraw withdraw(120 withdraw(120, Account.withdraw(120 Account.kt:31 Account.kt kt:3 file=Account.kt file:acc file=Bank.kt;no
		line=31 line=30..40 line>31;no var=amount;no field=balance;no value=1;no iter=1;no iter!=1;no
		status=unfinished;no status!=unfinished status!=underway status=added;no status!=added;no
		in(x);no has(x);no method=withdraw_ret<0 method=transfer_ret<0;no method=transfer_or_ret<0 -threw not_exc -method=withdraw;no`)
}

// TestMatchResults: of several results ret means any, and ret.2 the second.
func TestMatchResults(t *testing.T) {
	list(t, "results", aCall(withdraw, results(intValue(3), format.Null(), object(bankClass, 70000))), `
		ret.1=3 ret.2=nil ret.2=null ret.3=Bank ret.3=Bank@70000 ret.2!=nil;no ret.1=nil;no ret.1!=nil ret.1>2 ret.1<3;no ret.4=nil;no ret.4!=nil;no ret.3~Bank
		ret=3 ret=nil ret>2 ret>3;no ret=4;no ret!=3 ret=Bank ret~^.3,_nil,_Bank ret:bank@ ret=void;no obj=Bank obj=70000 obj=Account@5;no nil,_Bank`)
	list(t, "no error", aCall(withdraw, results(format.Null(), format.Null())), `ret=nil ret!=nil;no ret.1=nil ret.2=nil -ret!=nil`)
	list(t, "one result", aCall(withdraw, intValue(3)), `ret.1=3 ret.1!=4 ret.2=3;no ret.2!=3;no ret.2=nil;no`)
	list(t, "no result", aCall(withdraw, format.Value{Kind: format.ValueVoid}), `ret.1=nil;no ret.1!=nil;no ret.1=void`)
}

func TestMatchThrown(t *testing.T) {
	list(t, "threw", threwCall("com.shop.InsufficientFunds"), `
		threw threw=true threw!=false threw=false;no exc exc=InsufficientFunds exc=com.shop.InsufficientFunds exc~Funds exc:funds exc!=Timeout exc=Insuff*
		exc=Funds;no exc!=InsufficientFunds;no ret=null;no ret!=null;no ret~.;no -ret=null status!=unfinished`)
	list(t, "threw a nested class", threwCall("com.shop.Bank$Closed"), `exc=Bank.Closed exc=Bank$Closed exc=com.shop.Bank.Closed exc=Closed;no`)
	list(t, "threw without a name", threwCall(""), `threw exc exc=Timeout;no exc!=Timeout;no exc~.;no`)
	list(t, "throw", leaf(format.ClassThrow, 0, format.Value{}, object(fundsClass, 5)), `
		exc exc=InsufficientFunds exc=com.shop.InsufficientFunds exc!=Timeout exc=Timeout;no value=InsufficientFunds@5 value=InsufficientFunds obj=@5
		threw;no kind=throw kind=catch;no class=InsufficientFunds;no method!=x;no throw`)
	message := "below 0"
	x := leaf(format.ClassCatch, 0, format.Value{}, format.Value{Kind: format.ValueException, ClassID: fundsClass, Bits: 5, Captured: &format.Captured{Message: &message}})
	list(t, "catch", x, `kind=catch exc~Funds$ value:below value~"below_0" catch`)
}

func TestMatchUnknown(t *testing.T) {
	x := aCall(withdraw, format.Value{})
	x.Footer, x.Known = nil, 0
	list(t, "unknown", x, `ret=null;no ret!=null;no ret<0;no threw;no threw=false;no threw!=true;no exc;no dur>0;no dur<1h;no dur!=1s;no at>0;no self>=0;no kids>=0;no
		size>=0;no depth>=0;no status=unfinished;no status!=unfinished;no -dur>0 -ret=null -threw not_threw=false`)
	x.Unfinished = true
	list(t, "unfinished", x, `status=unfinished status=untracked;no status!=unfinished;no threw=false;no ret!=null;no`)
	x = aCall(withdraw, format.Value{Kind: format.ValueUnfinished})
	list(t, "unfinished by its footer", x, `status=unfinished threw=false;no threw!=true;no ret!=null;no ret~.;no ret=void;no`)
	x = aCall(transfer, format.Value{Kind: format.ValueVoid})
	list(t, "void", x, `ret=void ret!=void;no ret=null;no ret!=null;no ret~.;no ret:v;no threw=false`)
	x = aCall(transfer, format.Value{Kind: format.ValueUntracked})
	list(t, "untracked", x, `ret=void;no ret!=void;no ret!=null;no threw=false;no threw!=true;no -threw status!=unfinished status=untracked`)
	x = aCall(99, intValue(1))
	x.Thread = 2
	list(t, "unknown method", x, `method=withdraw;no method!=withdraw;no -method=withdraw class!=x;no pkg!=x;no thread=3 thread!=3;no thread!=main thread="Thread_3" ret=1`)
}

// TestMatchMoved: what was moved or renamed is told by the trace, not by the point.
func TestMatchMoved(t *testing.T) {
	about := About{Context: shop(t), Moved: func(event int32) (moved, renamed bool) { return event == 1, event == 2 }}
	texts := []string{"status=added", "status=moved", "status!=moved", "status=renamed", "status!=renamed", "in(status=moved)"}
	for event, want := range []string{"status=added status!=moved status!=renamed", "status=added status=moved status!=renamed", "status=added status!=moved status=renamed"} {
		x := &Facts{Point: &format.Point{Class: format.ClassLoop, Location: -1, Diff: format.DiffAdded, Event: int32(event)}}
		for _, text := range texts {
			f, err := parse(t, text).Bind(about)
			if err != nil {
				t.Fatal(err)
			}
			if yes := slices.Contains(strings.Fields(want), text); f.Match(x) != yes || f.Clone().Match(x) != yes {
				t.Errorf("event %d: %s is %v", event, text, !yes)
			}
			if ins, _ := f.Subs(); len(ins) > 0 && ins[0].Match(x) != (event == 1) {
				t.Errorf("event %d: what %s is in matches: %v", event, text, event != 1)
			}
			x.Point.Diff = format.DiffNone
			if f.Match(x) {
				t.Errorf("event %d, of no diff, matches %s", event, text)
			}
			x.Point.Diff = format.DiffAdded
		}
	}
	for _, text := range []string{"status=moved", "kind=call or status!=renamed"} {
		if _, err := parse(t, text).Bind(About{Context: about.Context}); err == nil || !strings.Contains(err.Error(), "not known") {
			t.Errorf("%s where nothing is known: %v", text, err)
		}
	}
}

func TestMatchLeaves(t *testing.T) {
	list(t, "field write", leaf(format.ClassFieldWrite, 0, object(accountClass, 7), intValue(-20)), `
		field=balance field=Account.balance field=com.shop.Account.balance field!=total field=total;no class=Account pkg=com.shop value=-20 value<0 value=0;no
		kind=write kind=field kind=field-write kind="field_write" kind=read;no kind=var;no obj=Account@7 obj=Bank@7;no dur>0;no dur!=1s;no ret!=1;no method!=x;no file=x;no line!=1;no
		has(x);no -has(x) arg=null;no recv=null;no`)
	list(t, "variable read", leaf(format.ClassVariableRead, 0, format.Value{}, stringValue("x")), `
		var=amount var!=x value=x value="x" value=y;no kind=read kind=var kind=variable-read kind=field;no field=amount;no obj=@0;no`)
	list(t, "array read", leaf(format.ClassArrayRead, 0, format.Value{Kind: format.ValueArray, ClassID: entryClass, Bits: format.ArrayBits(-7, 3)}, object(bankClass, 70000)), `
		kind=array kind=array-read obj=@-7 obj=Map.Entry@-7 obj=70000 value=Bank@70000 value=@-7;no`)
	loop := &Facts{Point: &format.Point{Class: format.ClassLoop, Location: -1, Diff: format.DiffAdded}, Footer: &format.Footer{Iterations: 5}}
	list(t, "loop", loop, `kind=loop iter=5;no status=added status!=removed status=removed;no status!=added;no status=edited;no status!=unfinished loop( obj=@0;no loop(5_iterations)`)
	iteration := &Facts{Point: &format.Point{Class: format.ClassIteration, Location: -1, Number: 2, Diff: format.DiffEditedNew}}
	list(t, "iteration", iteration, `kind=iteration kind=loop-iteration kind=loop;no iter=3 iter>2 iter=2;no iter!=2 status=edited status=edited-new status=edited-old;no iteration_3`)
	snapshot := &Facts{Point: &format.Point{Class: format.ClassSnapshot, Location: -1, Diff: format.DiffNone,
		Snapshot: &format.Snapshot{Locals: []format.Value{intValue(1), object(bankClass, 9)}, Watches: []format.Value{stringValue("w")}}}}
	list(t, "breakpoint", snapshot, `kind=breakpoint kind=live-breakpoint value=1 value=w value=2;no obj=Bank@9 value!=1`)
	super := aCall(newAccount, format.Value{Kind: format.ValueVoid})
	super.Point.Flags = format.FlagSuper | format.FlagUnderWay
	list(t, "constructor", super, `method="new_Account" method="super@Account" method=<init> method=Account.<init> status=underway status!=underway;no super@account new_account;no`)
}

// TestMatchValues compares values of all kinds with all that can be typed.
func TestMatchValues(t *testing.T) {
	float := func(f float64) format.Value {
		return format.Value{Kind: format.ValueDouble, Bits: int64(math.Float64bits(f))}
	}
	single := func(f float32) format.Value {
		return format.Value{Kind: format.ValueFloat, Bits: int64(math.Float32bits(f))}
	}
	text := func(k format.ValueKind, s string) format.Value {
		return format.Value{Kind: k, Text: s, ClassID: statusClass}
	}
	for _, c := range []struct {
		name  string
		value format.Value
		texts string
	}{
		{"null", format.Null(), `=null ="null";no !=null;no !=5 =5;no <5;no ~^null$ :ul =0;no`},
		{"true", format.Value{Kind: format.ValueBoolean, Bits: 1}, `=true =false;no !=false ="true";no =1;no ~tr`},
		{"long", format.Value{Kind: format.ValueLong, Bits: math.MaxInt64}, `=9223372036854775807 =9223372036854775806;no >9223372036854775806 <9223372036854775808 <1e30 =9223372036854775807.0 >-1e30 >9223372036854775806.5`},
		{"least long", format.Value{Kind: format.ValueLong, Bits: math.MinInt64}, `=-9223372036854775808 >-9223372036854775809 <-9223372036854775807.5 <0 >-1e30 <-1e30;no`},
		{"int", intValue(1204332), `=1204332 =1,204,332 =12043,32;no =1.204332e6 >1e6 =1e6..2e6 =+1204332 !=1204333`},
		{"minus one", intValue(-1), `=-1 =-1.0 <-0.5 >-1.5 =-1.5;no =-2..-1 =-1.. =..-1 =..-2;no =0..;no`},
		{"char", format.Value{Kind: format.ValueChar, Bits: 'x'}, `="x" =x ='x' =120;no <200;no ~x`},
		{"double", float(0.1), `=0.1 =0.10 <0.2 >0 =0.05..0.2 =1;no ~^0.1$ ="0.1";no`},
		{"large double", float(1 << 60), `=1152921504606846976 =1152921504606846977;no <1152921504606846977 >1152921504606846975`},
		{"NaN", float(math.NaN()), `=NaN =5;no <5;no >=5;no !=5`},
		{"infinity", float(math.Inf(1)), `=Infinity >1e308 =5;no`},
		{"minus infinity", float(math.Inf(-1)), `=-Infinity <-1e308 <-9223372036854775808`},
		{"float", single(0.1), `=0.1 <0.1;no <=0.1 >0.09`},
		{"minus zero", float(math.Copysign(0, -1)), `=0 =0.0 <0;no`},
		{"big", text(format.ValueBigInteger, "123456789012345678901234567890"), `=123456789012345678901234567890 =123456789012345678901234567891;no >123456789012345678901234567889 >5 <5;no`},
		{"decimal", text(format.ValueBigDecimal, "-1.50"), `=-1.5 =-1.50 =-1.500 <-1.4 >-1.6 =1.5;no`},
		{"decimal with exponent", text(format.ValueBigDecimal, "7.3512E+4"), `=73512 =73512.0 >73511 <73512.5`},
		{"raw number", text(format.ValueRawString, "70000"), `=70000 ="70000" >5`},
		{"cut number", text(format.ValueBigInteger, "1234..."), `=1234;no >5;no !=5`},
		{"string", stringValue("Ann"), `=Ann ="Ann" =ann;no =A* =*n ="A*";no !=Bob ~^Ann$ ~^"Ann"$ :ann :ANN;no <5;no =null;no !=null`},
		{"number as string", stringValue("5"), `="5" =5;no`},
		{"ref as string", stringValue("a@5"), `="a@5" =a@5;no`},
		{"empty string", stringValue(""), `="" =null;no !="x"`},
		{"lines", stringValue("a\nb"), `="a\nb" ~a.b;no ~(?s)a.b :"\\n"`},
		{"object", object(accountClass, -5), `=Account@-5 =com.shop.Account@-5 =@-5 =Account =com.shop.Account =*Account ="Account@-5";no =Bank@-5;no =Account@5;no !=Account@5 ~^Account@ :account`},
		{"nested class", object(entryClass, 5), `=Map.Entry@5 =java.util.Map$Entry@5 =java.util.Map.Entry@5 =Map.Entry =Entry;no`},
		{"enum", text(format.ValueEnum, "ACTIVE"), `=ACTIVE =Status.ACTIVE =ACT* =INACTIVE;no ="ACTIVE";no ~ACTIVE :active`},
		{"class", text(format.ValueJavaClass, "java.lang.String"), `=java.lang.String =java.lang.String.class ~String`},
		{"unit", format.Value{Kind: format.ValueUnit}, `=Unit =void;no !=null`},
		{"sequence", format.Value{Kind: format.ValueSequence, ClassID: entryClass, Bits: 5, Text: "abc"}, `="abc" =abc =Map.Entry@5 ~^abc$ :b`},
		{"builder", format.Value{Kind: format.ValueBuilder, Bits: 5, Text: "abc"}, `="abc" =abc =StringBuilder@5 =java.lang.StringBuilder@5 =StringBuilder =Account@5;no`},
	} {
		texts := ""
		for _, s := range strings.Fields(c.texts) {
			texts += " ret" + s
		}
		list(t, c.name, aCall(withdraw, c.value), texts)
	}
}
