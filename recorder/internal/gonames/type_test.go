package gonames

import "testing"

func TestUnqualified(t *testing.T) {
	for name, want := range map[string]string{
		"int":                                    "int",
		"shop.Order":                             "Order",
		"*shop.Order":                            "*Order",
		"map[string]*shop.Order":                 "map[string]*Order",
		"shop.Set[example.com/my-shop/x.Key]":    "Set[Key]",
		"func(...shop.Order) (int, error)":       "func(Order) (int, error)",
		"chan<- []shop.Order":                    "chan<- []Order",
		"struct { shop.Order; n int }":           "struct { Order; n int }",
		"shop.Pair[int,map[example.com/x.K]int]": "Pair[int,map[K]int]",
	} {
		if got := Unqualified(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
