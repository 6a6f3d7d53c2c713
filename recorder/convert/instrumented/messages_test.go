package instrumented

import (
	"math/rand/v2"
	"net/netip"
	"testing"
)

// TestIP: addresses are written as Go writes them.
func TestIP(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		ip := make([]byte, []int{4, 16}[r.IntN(2)])
		for i := range ip {
			if r.IntN(3) == 0 {
				ip[i] = byte(r.Uint32())
			}
		}
		if len(ip) == 16 && r.IntN(5) == 0 {
			copy(ip, make([]byte, 10))
			ip[10], ip[11] = 0xff, 0xff
		}
		a, _ := netip.AddrFromSlice(ip)
		if got, want := string(appendIP(nil, ip)), a.Unmap().String(); got != want {
			t.Fatalf("%v is %q, expected %q", ip, got, want)
		}
	}
	if got := string(appendIP([]byte("a"), make([]byte, 5))); got != "a" {
		t.Errorf("no address is %q", got)
	}
}
