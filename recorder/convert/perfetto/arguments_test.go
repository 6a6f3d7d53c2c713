package perfetto

import (
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format"
	"tracex/format/pbfield"
)

func TestArguments(t *testing.T) {
	s := simple()
	entry := func(name string, fill func(*message)) func(*message) {
		return field(pbfield.DebugAnnotation_DictEntries, nested(func(a *message) {
			a.text(pbfield.DebugAnnotation_Name, name)
			fill(a)
		}))
	}
	element := func(fill func(*message)) func(*message) {
		return field(pbfield.DebugAnnotation_ArrayValues, nested(fill))
	}
	s.begin(100, "kinds",
		annotate("bool", func(a *message) { a.number(pbfield.DebugAnnotation_BoolValue, 1) }),
		annotate("uint", func(a *message) { a.number(pbfield.DebugAnnotation_UintValue, math.MaxUint64) }),
		annotate("int", intValue(math.MaxUint64)),
		annotate("double", func(a *message) { a.fixed(pbfield.DebugAnnotation_DoubleValue, math.Float64bits(1.5)) }),
		annotate("string", func(a *message) { a.text(pbfield.DebugAnnotation_StringValue, "a\"b\x00é𝄞") }),
		annotate("pointer", func(a *message) { a.number(pbfield.DebugAnnotation_PointerValue, 0xfeed) }),
		annotate("json", func(a *message) {
			a.text(pbfield.DebugAnnotation_LegacyJsonValue, `{"k":1,"l":[2.5,{"m":null}],"n":"s","o":true}`)
		}),
		annotate("no json", func(a *message) { a.text(pbfield.DebugAnnotation_LegacyJsonValue, `{k`) }),
		annotate("message", func(a *message) {
			a.bytes(pbfield.DebugAnnotation_ProtoValue, message("12345"))
			a.text(pbfield.DebugAnnotation_ProtoTypeName, "pkg.Type")
		}),
		annotate("nothing", func(*message) {}),
	)
	s.begin(110, "nested",
		annotate("size", func(a *message) {
			entry("width", intValue(3))(a)
			entry("he.ight", intValue(4))(a)
			entry("list", func(a *message) {
				element(intValue(7))(a)
				element(func(*message) {})(a)
				element(func(a *message) { entry("x", intValue(8))(a) })(a)
			})(a)
		}),
		annotate("old", func(a *message) {
			a.bytes(pbfield.DebugAnnotation_NestedValue, nested(func(v *message) {
				v.text(pbfield.DebugAnnotation_NestedValue_DictKeys, "k")
				v.text(pbfield.DebugAnnotation_NestedValue_DictKeys, "l")
				v.bytes(pbfield.DebugAnnotation_NestedValue_DictValues, nested(func(v *message) { v.number(pbfield.DebugAnnotation_NestedValue_IntValue, 1) }))
				v.bytes(pbfield.DebugAnnotation_NestedValue_DictValues, nested(func(v *message) {
					v.bytes(pbfield.DebugAnnotation_NestedValue_ArrayValues, nested(func(v *message) { v.text(pbfield.DebugAnnotation_NestedValue_StringValue, "s") }))
					v.bytes(pbfield.DebugAnnotation_NestedValue_ArrayValues, nested(func(v *message) { v.number(pbfield.DebugAnnotation_NestedValue_BoolValue, 0) }))
				}))
			}))
		}),
	)
	s.instant(115, "names", annotate("this", intValue(1)), annotate("$x", intValue(2)), annotate("", intValue(3)))
	s.end(120, annotate("ok", func(a *message) { a.number(pbfield.DebugAnnotation_BoolValue, 1) }), annotate("n", intValue(3)))
	s.end(130)
	s.tells(t, `
		# process 1 › main 5
		 100+30  c.kinds(bool ➜ true, uint ➜ 18446744073709551615, int ➜ -1, double ➜ 1.5, string ➜ "a"b`+"\x00"+`é𝄞", pointer ➜ 0xfeed, json.k ➜ 1, json.l[0] ➜ 2.5, json.l[1].m ➜ null, json.n ➜ "s", json.o ➜ true, no json ➜ {k, message ➜ <pkg.Type, 5 bytes>)
		 110+10    nested(size.width ➜ 3, size.he_ight ➜ 4, size.list[0] ➜ 7, size.list[1].x ➜ 8, old.k ➜ 1, old.l[0] ➜ "s", old.l[1] ➜ false): ok ➜ true, n ➜ 3
		 115+0       names(debug.this ➜ 1, debug.$x ➜ 2, debug. ➜ 3)
		left out: 2 damaged or excess arguments
		`)
}

// allInterned returns a text of each kind that can be interned, and a location.
func allInterned() message {
	text := func(field protowire.Number, iid uint64, text string) func(*message) {
		return func(m *message) {
			m.bytes(field, nested(func(e *message) {
				e.number(1, iid)
				e.text(2, text)
			}))
		}
	}
	return nested(func(in *message) {
		text(pbfield.InternedData_EventCategories, 1, "one")(in)
		text(pbfield.InternedData_EventCategories, 2, "two")(in)
		text(pbfield.InternedData_EventNames, 1, "Name")(in)
		text(pbfield.InternedData_EventNames, 1, "the first counts")(in)
		text(pbfield.InternedData_EventNames, 1<<40, "Far")(in)
		text(pbfield.InternedData_DebugAnnotationNames, 3, "arg")(in)
		text(pbfield.InternedData_DebugAnnotationStringValues, 4, "value")(in)
		text(pbfield.InternedData_DebugAnnotationValueTypeNames, 5, "Type")(in)
		text(pbfield.InternedData_LogMessageBody, 6, "it happened")(in)
		text(pbfield.InternedData_CorrelationIdStr, 7, "request 1")(in)
		in.bytes(pbfield.InternedData_SourceLocations, nested(func(l *message) {
			l.number(1, 8)
			l.text(2, "dir/file.cc")
			l.text(3, "Func")
			l.number(4, 42)
		}))
	})
}

// TestInterned has names, categories, strings and locations by number.
func TestInterned(t *testing.T) {
	s := simple()
	s.time = 50
	s.add(func(p *message) { p.bytes(pbfield.TracePacket_InternedData, allInterned()) })
	event := func(time uint64, fill func(e *message)) {
		s.time = time
		s.add(func(p *message) {
			p.number(pbfield.TracePacket_SequenceFlags, flagNeedsState)
			p.bytes(pbfield.TracePacket_TrackEvent, nested(func(e *message) {
				e.number(pbfield.TrackEvent_Type, pbfield.TrackEvent_TYPE_INSTANT)
				fill(e)
			}))
		})
	}
	event(100, func(e *message) {
		e.number(pbfield.TrackEvent_CategoryIids, 1)
		e.number(pbfield.TrackEvent_NameIid, 1)
		e.bytes(pbfield.TrackEvent_DebugAnnotations, nested(func(a *message) {
			a.number(pbfield.DebugAnnotation_NameIid, 3)
			a.number(pbfield.DebugAnnotation_StringValueIid, 4)
		}))
		e.number(pbfield.TrackEvent_SourceLocationIid, 8)
	})
	event(110, func(e *message) {
		e.bytes(pbfield.TrackEvent_CategoryIids, message{1, 2}) // packed
		e.text(pbfield.TrackEvent_Categories, "three")
		e.number(pbfield.TrackEvent_NameIid, 1<<40)
		e.number(pbfield.TrackEvent_CorrelationIdStrIid, 7)
	})
	event(120, func(e *message) { // no category; the location is not interned
		e.number(pbfield.TrackEvent_NameIid, 1)
		e.bytes(pbfield.TrackEvent_SourceLocation, nested(func(l *message) {
			l.text(2, "other.cc")
			l.number(4, 7)
		}))
	})
	event(130, func(e *message) { // no name, an unknown category
		e.number(pbfield.TrackEvent_CategoryIids, 99)
		e.bytes(pbfield.TrackEvent_LogMessage, nested(func(l *message) {
			l.number(1, 8)
			l.number(2, 6)
			l.number(3, 5)
		}))
	})
	event(140, func(e *message) {
		e.number(pbfield.TrackEvent_CategoryIids, 1)
		e.fixed(pbfield.TrackEvent_FlowIds, 0xabc)
		e.bytes(pbfield.TrackEvent_TerminatingFlowIds, message{1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0})
		e.bytes(pbfield.TrackEvent_TaskExecution, nested(func(m *message) { m.number(1, 8) }))
		e.number(pbfield.TrackEvent_CorrelationId, 5)
		e.bytes(pbfield.TrackEvent_Callstack, nested(func(m *message) {
			for _, name := range []string{"main", "run"} {
				m.bytes(1, nested(func(f *message) { f.text(1, name) }))
			}
		}))
	})
	event(150, func(e *message) { // unknown names
		e.number(pbfield.TrackEvent_NameIid, 77)
		e.bytes(pbfield.TrackEvent_DebugAnnotations, nested(func(a *message) {
			a.number(pbfield.DebugAnnotation_NameIid, 77)
			a.number(pbfield.DebugAnnotation_IntValue, 4)
		}))
		e.bytes(pbfield.TrackEvent_DebugAnnotations, nested(func(a *message) {
			a.number(pbfield.DebugAnnotation_NameIid, 3)
			a.number(pbfield.DebugAnnotation_StringValueIid, 77)
		}))
	})
	s.tells(t, `
		# process 1 › main 5
		 100+0   one.Name(arg ➜ "value") at dir/file.cc:42
		 110+0   one,two,three.Far(correlation ➜ "request 1")
		 120+0   Name() at other.cc:7
		 130+0   unknown(99).unnamed(message ➜ "it happened", priority ➜ WARN) at dir/file.cc:42
		 140+0   one.unnamed(posted from ➜ Func at dir/file.cc:42, correlation ➜ 5, flow ➜ 0xabc, flow end ➜ 0x1, flow end ➜ 0x2, stack ➜ run < main)
		 150+0   unnamed()
		left out: 2 damaged or excess arguments
		`)
}

// TestStacks has interned call stacks.
func TestStacks(t *testing.T) {
	s := simple()
	s.add(func(p *message) {
		p.bytes(pbfield.TracePacket_InternedData, nested(func(in *message) {
			text := func(iid uint64, text string) {
				in.bytes(pbfield.InternedData_FunctionNames, nested(func(e *message) {
					e.number(1, iid)
					e.text(2, text)
				}))
			}
			text(1, "main")
			text(2, "run")
			for i, function := range []uint64{1, 2, 77} {
				in.bytes(pbfield.InternedData_Frames, nested(func(e *message) {
					e.number(1, uint64(i+1))
					e.number(2, function)
					e.number(4, 0xabc)
				}))
			}
			in.bytes(pbfield.InternedData_Callstacks, nested(func(e *message) {
				e.number(1, 5)
				e.bytes(2, message{1, 2, 99, 3}) // 99 is unknown
			}))
		}))
	})
	s.instant(100, "A", func(e *message) { e.number(pbfield.TrackEvent_CallstackIid, 5) })
	s.instant(110, "B", func(e *message) { e.number(pbfield.TrackEvent_CallstackIid, 6) })
	s.tells(t, `
		# process 1 › main 5
		 100+0   c.A(stack ➜ 0xabc < ? < run < main)
		 110+0   c.B()
		left out: 1 damaged or excess argument
		`)
}

// TestFlows has flows by the older and the newer fields.
func TestFlows(t *testing.T) {
	s := simple()
	old := func(number protowire.Number, id uint64) func(*message) {
		return func(e *message) { e.number(number, id) }
	}
	s.instant(100, "old", old(pbfield.TrackEvent_FlowIdsOld, 1), old(pbfield.TrackEvent_FlowIdsOld, 2), old(pbfield.TrackEvent_TerminatingFlowIdsOld, 3))
	s.instant(110, "both", old(pbfield.TrackEvent_FlowIdsOld, 1), old(pbfield.TrackEvent_TerminatingFlowIdsOld, 3), func(e *message) {
		e.fixed(pbfield.TrackEvent_FlowIds, 1)
		e.fixed(pbfield.TrackEvent_TerminatingFlowIds, 3)
	})
	s.instant(120, "legacy", field(pbfield.TrackEvent_LegacyEvent, nested(func(g *message) { g.number(pbfield.TrackEvent_LegacyEvent_FlowDirection, 1) })))
	s.instant(130, "legacy", field(pbfield.TrackEvent_LegacyEvent, nested(func(g *message) { g.number(pbfield.TrackEvent_LegacyEvent_BindId, 5) })))
	s.tells(t, `
		# process 1 › main 5
		 100+0   c.old(flow ➜ 0x1, flow ➜ 0x2, flow end ➜ 0x3)
		 110+0   c.both(flow ➜ 0x1, flow end ➜ 0x3)
		 120+0   c.legacy()
		 130+0   c.legacy()
		`)
}

// TestLongTexts has texts that are too long for the format.
func TestLongTexts(t *testing.T) {
	s := simple()
	long := strings.Repeat("é", 50000)
	s.instant(100, "A", annotate("s", func(a *message) { a.text(pbfield.DebugAnnotation_StringValue, long) }))
	s.instant(101, long)
	many := make([]func(*message), maxArguments+10)
	for i := range many {
		many[i] = annotate("n", intValue(uint64(i)))
	}
	s.instant(102, "B", many...)
	w, err := convertBytes(t, s.trace, Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := slicesIn(t, w)
	want := strings.Repeat("é", 32766) + "…"
	if len(all) != 3 || all[0].args != "debug.s="+want || all[1].name != want {
		t.Errorf("%d slices; %d bytes of text, %d of a name", len(all), len(all[0].args), len(all[1].name))
	}
	if n := strings.Count(all[2].args, "debug.n="); n != maxArguments {
		t.Errorf("%d arguments", n)
	}
	if l := w.result.LeftOut; len(l) != 2 || l[0].Count != 10 || l[1].What != longTexts.Of(l[1].Count) {
		t.Errorf("left out: %v", l)
	}
}

// TestLongResults has arguments of an end that together are too long for the format.
func TestLongResults(t *testing.T) {
	for _, v := range []format.Version{22, format.Newest} {
		s := simple()
		text := func(a *message) { a.text(pbfield.DebugAnnotation_StringValue, strings.Repeat("x", 40000)) }
		s.begin(100, "A")
		s.end(110, annotate("a", text), annotate("b", text))
		w, err := convertBytes(t, s.trace, Options{FormatVersion: v})
		if err != nil {
			t.Fatal(err)
		}
		var results []string
		for o := format.NewBytesScanner(w.data); o.Next(); {
			if o.Object().Kind != format.KindFooter {
				continue
			}
			var f format.Footer
			if _, err := v.DecodeFooter(o.Object().Bytes, format.ClassCall, &f); err != nil {
				t.Fatal(err)
			}
			results = append(results, f.Result.Text)
		}
		if len(results) != 1 || !strings.HasPrefix(results[0], "a ➜ \"xxx") || !strings.HasSuffix(results[0], "xxx…") {
			t.Errorf("version %d: %d results, %.40q", v, len(results), results)
		}
		if l := w.result.LeftOut; len(l) != 1 || l[0].What != longTexts.Of(1) || l[0].Count != 1 {
			t.Errorf("version %d: left out: %v", v, l)
		}
	}
}
