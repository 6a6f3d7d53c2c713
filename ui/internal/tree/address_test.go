package tree

import (
	"testing"

	"tracex/lazy"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Address{
		"":                     {},
		"  ":                   {},
		"1204":                 {Kind: Event, Number: 1204, Text: "1204"},
		" 1,204_5 6":           {Kind: Event, Number: 120456, Text: "1,204_5 6"},
		"#1204":                {Kind: Event, Number: 1204, Text: "1204"},
		"#1,204":               {Kind: Event, Number: 1204, Text: "1,204"},
		"@3+88120":             {Kind: Place, Text: "@3+88120", Place: lazy.Position{Thread: 2, At: 88120}},
		"@3":                   {Kind: Place, Text: "@3", Place: lazy.Position{Thread: 2, At: -1}},
		"@":                    {Kind: Unknown, Text: "@"},
		"@0":                   {Kind: Unknown, Text: "@0"},
		"#":                    {Kind: Unknown, Text: "#"},
		"##1":                  {Kind: Unknown, Text: "##1"},
		"e7":                   {Kind: Event, Number: 7, Text: "7"},
		"Event 7":              {Kind: Event, Number: 7, Text: "7"},
		"2147483647":           {Kind: Event, Number: 2147483647, Text: "2147483647"},
		"2147483648":           {Kind: Event, Number: -1, Text: "2147483648"},
		"99999999999999999999": {Kind: Event, Number: -1, Text: "99999999999999999999"},
		"50%":                  {Kind: Share, Share: 50, Text: "50"},
		"12.5 %":               {Kind: Share, Share: 12.5, Text: "12.5"},
		"t3":                   {Kind: Thread, Number: 3, Text: "3"},
		"thread 12":            {Kind: Thread, Number: 12, Text: "12"},
		"g45":                  {Kind: Goroutine, Number: 45, Text: "45"},
		"goroutine 45":         {Kind: Goroutine, Number: 45, Text: "45"},
		"g":                    {Kind: Unknown, Text: "g"},
		"748ms":                {Kind: Time, Number: 748_000_000, Text: "748ms"},
		"1.5 s":                {Kind: Time, Number: 1_500_000_000, Text: "1.5 s"},
		"12µs":                 {Kind: Time, Number: 12_000, Text: "12µs"},
		"99999999999h":         {Kind: Unknown, Text: "99999999999h"},
		"q":                    {Kind: Unknown, Text: "q"},
		"-1":                   {Kind: Unknown, Text: "-1"},
		"Foo":                  {Kind: Unknown, Text: "foo"},
		"1.5":                  {Kind: Unknown, Text: "1.5"},
	} {
		if got := ParseAddress(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}
