//go:build linux

package recordtest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// flakyModule has a test that passes, and one that fails each time but the second of a process.
var flakyModule = map[string]string{
	"go.mod": "module example.com/flaky\n\ngo 1.25\n",
	"shop/shop.go": `package shop

import "errors"

var paid int

func Pay(id, amount int) error {
	if paid++; paid == 2 {
		amount = 1
	}
	return check(amount)
}

func check(amount int) error {
	if amount > 100 {
		return errors.New("too much")
	}
	return nil
}
`,
	"shop/shop_test.go": `package shop

import "testing"

func TestCheck(t *testing.T) {
	if check(1) != nil {
		t.Fatal("refused")
	}
}

func TestPay(t *testing.T) {
	if err := Pay(7, 150); err != nil {
		t.Errorf("Pay: %v", err)
	}
}
`,
}

// blockOf returns the first block of shell commands in a section of a page.
func blockOf(t *testing.T, page, section string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "\n## "+section+"\n")
	_, rest, begun := strings.Cut(rest, "\n```sh\n")
	block, _, ended := strings.Cut(rest, "\n```\n")
	if !ok || !begun || !ended {
		t.Fatalf("docs/ci.md has no commands in a section %q", section)
	}
	return block
}

// TestCIPage runs the commands of docs/ci.md with the program as it is built.
func TestCIPage(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	bin := t.TempDir()
	if r := run(t, "../../..", nil, "go", "build", "-o", filepath.Join(bin, "tracex"), "."); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	dir := write(t, flakyModule)
	env := []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "XDG_CONFIG_HOME=" + t.TempDir(), "XDG_STATE_HOME=" + t.TempDir()}
	shell := func(script string, code int) string {
		t.Helper()
		r := run(t, dir, env, "sh", "-c", script)
		if r.code != code {
			t.Fatalf("%s\nends with %d, expected %d:\n%s%s", script, r.code, code, r.stdout, r.stderr)
		}
		return r.stdout
	}
	traces := func(want ...string) {
		t.Helper()
		list, err := filepath.Glob(filepath.Join(dir, "traces", "*.bin"))
		for i := range list {
			list[i] = filepath.Base(list[i])
		}
		slices.Sort(list)
		slices.Sort(want)
		if err != nil || !slices.Equal(list, want) {
			t.Errorf("there are %v, expected %v", list, want)
		}
	}

	said := shell(blockOf(t, page, "In a shell"), 1)
	for _, part := range []string{"--- FAIL: TestPay", "FAIL TestPay\n", "shop_test.go:13: Pay: too much\n", "Pay(7, 150): ", "check(150): ", `("too much")`} {
		_, rest, ok := strings.Cut(said, part)
		if !ok {
			t.Fatalf("%q is not there, or not in its place, in\n%s", part, said)
		}
		said = rest
	}
	traces("shop.TestPay.bin")

	const many = "-count=200"
	flaky := blockOf(t, page, "Flaky tests")
	if !strings.Contains(flaky, many) || !strings.Contains(page, "`--keep all`") || !strings.Contains(page, "`tracex diff --first`") {
		t.Fatalf("the page no longer tells about %s, --keep all and diff --first:\n%s", many, flaky)
	}
	flaky = strings.Replace(flaky, many, "-count=3", 1)
	shell(flaky, 1)
	traces("shop.TestPay.bin", "shop.TestPay-2.bin")
	shell(strings.Replace(flaky, "--keep failed", "--keep all", 1), 1)
	traces("shop.TestPay.bin", "shop.TestPay-2.bin", "shop.TestPay-3.bin")
	// The second run passed.
	if said := shell("tracex diff --first traces/shop.TestPay-2.bin traces/shop.TestPay.bin", 0); !strings.Contains(said, "check(1)") || !strings.Contains(said, "check(150)") {
		t.Errorf("diff --first tells\n%s", said)
	}

	// Once the test passes, the script ends with 0 and prints no report.
	passes := strings.Replace(flakyModule["shop/shop_test.go"], "150", "50", 1)
	if err := os.WriteFile(filepath.Join(dir, "shop", "shop_test.go"), []byte(passes), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "traces")); err != nil {
		t.Fatal(err)
	}
	if said := shell(blockOf(t, page, "In a shell"), 0); strings.Contains(said, "FAIL") || !strings.Contains(said, "ok") {
		t.Errorf("a test that passes:\n%s", said)
	}
	traces()
}
