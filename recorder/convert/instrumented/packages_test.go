package instrumented

import (
	"testing"

	"tracex/recorder/internal/gonames"
)

// TestPackages: packages whose paths end alike have names of their own.
func TestPackages(t *testing.T) {
	ps := programNames{packages: &gonames.Namer{}}
	for _, c := range []struct{ function, class, method string }{
		{"text/template.New", "template", "New"},
		{"html/template.(*Template).Parse", "html/template.Template", "Parse"},
		{"text/template.(*Template).Parse", "template.Template", "Parse"},
		{"html/template.New", "html/template", "New"},
		{"example.com/html/template.New", "example.com/html/template", "New"},
		{"example.com/shop/v2.Open", "shop", "Open"},
		{"example.com/shop.Open", "example.com/shop", "Open"},
		{"example.com/other/shop/v3_test.TestOpen", "shop_test", "TestOpen"},
		{"example.com/shop_test.TestOpen", "example.com/shop_test", "TestOpen"},
		{"gopkg.in/yaml%2ev3.(*Decoder).Decode", "yaml.Decoder", "Decode"},
		{"main.main", "main", "main"},
		{"example.com/main.Run", "example.com/main", "Run"},
		{"shop.Open", "shop'", "Open"},
		{"shop.Open", "shop'", "Open"},
	} {
		if class, method := ps.split(c.function); class != c.class || method != c.method {
			t.Errorf("%s: %s, %s, want %s, %s", c.function, class, method, c.class, c.method)
		}
	}
}
