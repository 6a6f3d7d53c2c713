package uftrace

import (
	"strings"
	"testing"
)

// demangledNames are names that compilers made, and those of their sources.
var demangledNames = map[string]string{
	"main":                       "main",
	"_Znwm":                      "operator new",
	"_ZdaPv":                     "operator delete[]",
	"_Z3fooi":                    "foo",
	"_ZN3geo6SquareC2Ed":         "geo::Square::Square",
	"_ZN3geo6SquareD0Ev":         "geo::Square::~Square",
	"_ZNK3geo6Square4areaEd":     "geo::Square::area",
	"_ZNSaIcEC1Ev":               "std::allocator::allocator",
	"_Z5twiceIdET_S0_":           "twice",
	"_ZN12_GLOBAL__N_14hideEi":   "(anonymous namespace)::hide",
	"_ZThn8_N3geo6SquareD0Ev":    "geo::Square::~Square",
	"_ZTV5Shape":                 "vtable for Shape",
	"_ZGVZ3foovE1x":              "guard variable for foo::x",
	"_ZN4node5closeEv.part.0":    "node::close",
	"_ZN4node5closeEv@V1":        "node::close",
	"_ZL6hiddenv":                "hidden",
	"_ZNSt13runtime_errorC1EPKc": "std::runtime_error::runtime_error",
	"_ZStplIcSt11char_traitsIcESaIcEENSt7__cxx1112basic_stringIT_T0_T1_EERKS8_SA_":                            "std::operator+",
	"_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructIPKcEEvT_S8_St20forward_iterator_tag": "std::__cxx11::basic_string::_M_construct",
	// A class in a function, and its constructor.
	"_ZZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructIPKcEEvT_S8_St20forward_iterator_tagEN6_GuardC1EPS4_": "std::__cxx11::basic_string::_M_construct::_Guard::_Guard",
	"_ZZ4mainENKUlvE_clEv":  "main::{lambda#1}::operator()",
	"_ZZ4mainENKUliE0_clEi": "main::{lambda#2}::operator()",
	"_ZNK1AcvbEv":           "A::operator(cast)",
	"_Zli2_wPKc":            `operator"" _w`,
	// Expressions among the arguments: sizeof, a comparison, a member of a dependent type, a fold.
	"_Z1fILi3EEvv": "f",
	"_Z1gIiENSt9enable_ifIXeqstT_Li4EEvE4typeES1_":                                                     "g",
	"_Z1hIiEvDTcl3swapfp_fp0_EE":                                                                       "h",
	"_Z1kIiEvNSt9enable_ifIXsrSt7is_sameIT_iE5valueEvE4typeE":                                          "k",
	"_ZN1sIJidEE3sumIJLi1ELi2EEEEvNSt9enable_ifIXfraaT_EvE4typeE":                                      "s::sum",
	"_ZSt7forwardIRKiEOT_RNSt16remove_referenceIS2_E4typeE":                                            "std::forward",
	"_ZN4core3fmt5Write9write_fmt17h75c561f414a62159E":                                                 "core::fmt::Write::write_fmt",
	"_ZN61_$LT$$RF$std..io..stdio..Stdout$u20$as$u20$std..io..Write$GT$9write_fmt17h75c561f414a62159E": "<&std::io::stdio::Stdout as std::io::Write>::write_fmt",
	"_RNvCs6xxl1lAjzDf_1a4main":                                                                        "a::main",
	"_RNCNCNvCs6xxl1lAjzDf_1a4main00B5_":                                                               "a::main::{closure#0}::{closure#0}",
	"_RNCNvCs6xxl1lAjzDf_1a4mains_0.llvm.5":                                                            "a::main::{closure#1}",
	"_RNvXs_NtC1a3geoShNtB4_5Named4name":                                                               "<[u8] as a::geo::Named>::name",
	"_RNvXs_NtC1a3geoRLeNtB4_5Named4name":                                                              "_RNvXs_NtC1a3geoRLeNtB4_5Named4name",
	"_RNvXs_NtC1a3geoReNtB4_5Named4name":                                                               "<&str as a::geo::Named>::name",
	"_RNvXs_NtC1a3geoAhj4_NtB4_5Named4name":                                                            "<[u8; 4] as a::geo::Named>::name",
	"_RNvXs_NtC1a3geoTlFhEbENtB4_5Named4name":                                                          "<(i32, fn(u8) -> bool) as a::geo::Named>::name",
	"_RNvMNtC1a3geoINtB2_2SqlE4area":                                                                   "<a::geo::Sq>::area",
	"_RNSNvYNvC1a1fNtC1b1T4call6vtableB2_":                                                             "<a::f as b::T>::call::{shim:vtable#0}",
	// No names.
	"_RB_":                       "_RB_",
	"_RNvC1a99x":                 "_RNvC1a99x",
	"_Z":                         "_Z",
	"_ZN3foo":                    "_ZN3foo",
	"_Z99x":                      "_Z99x",
	"_ZN4nodeIiE":                "_ZN4nodeIiE",
	"_Z" + "N" + "999999999999a": "_ZN999999999999a",
}

func TestDemangle(t *testing.T) {
	for name, want := range demangledNames {
		if got := demangle(name); got != want {
			t.Errorf("%s\n got %s\nwant %s", name, got, want)
		}
	}
	deep := "_Z1f" + strings.Repeat("I", 10_000)
	if got := demangle(deep); got != deep {
		t.Error("a name that is nested too deeply is demangled")
	}
	deep = "_Z" + strings.Repeat("Z", 1000) + "1av" + strings.Repeat("E1a", 1000)
	if got := demangle(deep); got != deep {
		t.Error("a thousand functions within each other are demangled")
	}
	long := "_ZN" + strings.Repeat("1a", 5000) + "E"
	if got := demangle(long); got != long {
		t.Error("a name that is too long is demangled")
	}
}

// FuzzDemangle: nothing panics or takes long, and names stay short.
func FuzzDemangle(f *testing.F) {
	for name := range demangledNames {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got := demangle(name); got != name && len(got) > maxDemangled+64 {
			t.Errorf("%d bytes of name", len(got))
		}
	})
}
