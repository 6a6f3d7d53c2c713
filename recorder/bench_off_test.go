package recorder

import "testing"

// BenchmarkOffArguments records nothing: the Thread is nil, but the arguments are made.
func BenchmarkOffArguments(b *testing.B) {
	b.Run("no arguments", func(b *testing.B) {
		var t *Thread
		for b.Loop() {
			t.Enter(1, 1, Null())
			t.Exit(Void())
		}
	})
	b.Run("two numbers and a text", func(b *testing.B) {
		var t *Thread
		i, s := 0, "text"
		for b.Loop() {
			i++
			t.Enter(1, 1, Null(), Int(i), Int(-i), String(s))
			t.Exit(Int(i))
		}
	})
	b.Run("two numbers and a text, asked for", func(b *testing.B) {
		var t *Thread
		i, s := 0, "text"
		for b.Loop() {
			i++
			if t != nil {
				t.Enter(1, 1, Null(), Int(i), Int(-i), String(s))
			}
			if t != nil {
				t.Exit(Int(i))
			}
		}
	})
}
