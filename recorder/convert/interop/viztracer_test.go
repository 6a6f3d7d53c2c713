package interop

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"tracex/format"
	"tracex/recorder/convert/chrome"
	"tracex/recorder/convert/readback"
)

// shopProgram has calls with values of all kinds, recursion, exceptions, generators and threads.
const shopProgram = `import threading


class Item:
    def __init__(self, name, price):
        self.name, self.price = name, price

    def __repr__(self):
        return f"Item({self.name!r})"

    def discount(self, percent):
        return self.price * (100 - percent) / 100


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def numbers(limit):
    for n in range(limit):
        yield n * n


def values(none, yes, small, large, real, text, items, table, *more, **named):
    return {"none": none, "count": len(items), "text": text + "\n“quoted” \\ \t\U0001f375 \x01"}


def fails(depth):
    if depth == 0:
        raise ValueError("no more")
    fails(depth - 1)


def worker(name, rounds):
    return [fib(n % 5) for n in range(rounds)], name


def main():
    tea = Item("tea", 250)
    tea.discount(10)
    values(None, True, -1, 1 << 70, 2.5, 'a "b"', [1, "two", (3,)], {"k": [tea]}, 8, 9, key="x" * 3000)
    try:
        fails(3)
    except ValueError as e:
        str(e)
    sum(numbers(5))
    threads = [threading.Thread(target=worker, args=(f"w{n}", 10), name=f"worker {n}") for n in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return fib(8)


if __name__ == "__main__":
    main()
`

// vizTracer returns a Python that has VizTracer: the one that is installed, or one in a temporary folder
// with VizTracer from PyPI.
func vizTracer(t *testing.T) string {
	python := need(t, "python3")
	if exec.CommandContext(t.Context(), python, "-c", "import viztracer").Run() == nil {
		return python
	}
	env := filepath.Join(t.TempDir(), "env")
	if out, err := exec.CommandContext(t.Context(), python, "-m", "venv", env).CombinedOutput(); err != nil {
		t.Skipf("VizTracer is not installed, and Python makes no environment for it: %v\n%s", err, out)
	}
	python = filepath.Join(env, "bin", "python3")
	if runtime.GOOS == "windows" {
		python = filepath.Join(env, "Scripts", "python.exe")
	}
	if out, err := exec.CommandContext(t.Context(), python, "-m", "pip", "install", "--quiet", "viztracer").CombinedOutput(); err != nil {
		t.Skipf("VizTracer is not installed, and pip cannot install it: %v\n%s", err, out)
	}
	return python
}

// TestVizTracer records a Python program with arguments and results, and compares each call: its nesting, times,
// place, arguments and result.
func TestVizTracer(t *testing.T) {
	python := vizTracer(t)
	dir := t.TempDir()
	write(t, dir, "shop.py", shopProgram)
	for _, name := range []string{"shop.json", "shop.json.gz"} {
		run(t, dir, python, "-m", "viztracer", "--log_func_args", "--log_func_retval", "-o", name, "shop.py")
		path := filepath.Join(dir, name)
		plain := readPlainly(t, path)
		got, sum := convert(t, &chrome.Source, path)
		if len(sum.LeftOut) > 0 {
			t.Errorf("%s: left out: %+v", name, sum.LeftOut)
		}
		shown := evaluate(t, python, dir, textsOf(t, plain, got))
		want, first := vizCalls(t, plain, shown)
		for _, th := range got.Threads {
			calls := want[th.Name]
			if calls == nil {
				t.Errorf("%s: no thread is called %q", name, th.Name)
			}
			compareLines(t, name+" "+th.Name, vizLines(th, shown), nested(t, calls, first))
			delete(want, th.Name)
		}
		for thread := range want {
			t.Errorf("%s: thread %q is missing", name, thread)
		}
	}
}

// vizPlace is what follows the name of a function: its file and line.
var vizPlace = regexp.MustCompile(`^(.*) \((.*):(\d+)\)$`)

// vizCalls reads the calls of the threads by their names, and the time of the first.
func vizCalls(t *testing.T, plain *plainTrace, shown map[string]string) (calls map[string][]plainCall, first int64) {
	t.Helper()
	threads := map[string]string{} // names by numbers
	for i := range plain.Events {
		if e := &plain.Events[i]; e.Phase == "M" && e.Name == "thread_name" {
			var args struct{ Name string }
			if err := json.Unmarshal(e.Args, &args); err != nil {
				t.Fatal(err)
			}
			threads[string(e.Thread)] = args.Name
		}
	}
	calls, first = map[string][]plainCall{}, -1
	for i := range plain.Events {
		e := &plain.Events[i]
		if e.Phase != "X" {
			continue
		}
		c := plainCall{start: nanoseconds(t, e.Time), text: e.Name}
		c.end = c.start + nanoseconds(t, e.Duration)
		if m := vizPlace.FindStringSubmatch(e.Name); m != nil {
			c.text, c.place = m[1], filepath.Base(m[2])+":"+m[3]
		}
		c.text += vizArgs(t, e.Args, shown)
		if first < 0 || c.start < first {
			first = c.start
		}
		name := threads[string(e.Thread)]
		calls[name] = append(calls[name], c)
	}
	if len(calls) != 3 {
		t.Fatalf("%d threads have calls, want 3", len(calls))
	}
	return calls, first
}

// vizValues returns the arguments and the result, if there is one, as Python shows them.
func vizValues(t *testing.T, raw json.RawMessage) (args [][2]string, result string) {
	t.Helper()
	if raw == nil {
		return nil, ""
	}
	var x struct {
		Args   json.RawMessage `json:"func_args"`
		Result string          `json:"return_value"`
	}
	if err := json.Unmarshal(raw, &x); err != nil {
		t.Fatal(err)
	}
	return members(t, x.Args), x.Result
}

// vizArgs is the text of an event's arguments and result.
func vizArgs(t *testing.T, raw json.RawMessage, shown map[string]string) string {
	t.Helper()
	args, result := vizValues(t, raw)
	return vizText(args, result, shown)
}

// vizText is the text of arguments and a result.
func vizText(args [][2]string, result string, shown map[string]string) string {
	var list []string
	for _, a := range args {
		list = append(list, a[0]+" ➜ "+shown[a[1]])
	}
	text := "(" + strings.Join(list, ", ") + ")"
	if result != "" {
		text += ": " + shown[result]
	}
	return text
}

// vizLines is linesOf with values as evaluate shows them.
func vizLines(th *readback.Thread, shown map[string]string) (lines []string) {
	th.Walk(func(p *readback.Point, depth int) {
		var args [][2]string
		for i := range p.Args {
			name := ""
			if i < len(p.ArgNames) {
				name = p.ArgNames[i]
			}
			args = append(args, [2]string{name, pythonText(&p.Args[i])})
		}
		result := ""
		if p.Result != nil {
			result = pythonText(p.Result)
		}
		lines = append(lines, callLine(depth, p.Name+vizText(args, result, shown), path.Base(p.Place), p.Start, p.Dur))
	})
	return lines
}

// pythonText is a value as Python would show it: as it was in the file, or in another way that means the
// same.
func pythonText(v *readback.Value) string {
	switch v.Kind {
	case format.ValueString:
		text, err := json.Marshal(v.Text)
		if err != nil {
			return v.Shown
		}
		return string(text) // which Python reads, too
	case format.ValueBoolean:
		return map[string]string{"true": "True", "false": "False"}[v.Shown]
	}
	return v.Shown
}

// textsOf returns all values of a file, and of the converted trace.
func textsOf(t *testing.T, plain *plainTrace, got *readback.Trace) (texts []string) {
	for i := range plain.Events {
		if e := &plain.Events[i]; e.Phase == "X" {
			args, result := vizValues(t, e.Args)
			texts = append(texts, result)
			for _, a := range args {
				texts = append(texts, a[1])
			}
		}
	}
	for _, th := range got.Threads {
		th.Walk(func(p *readback.Point, _ int) {
			for i := range p.Args {
				texts = append(texts, pythonText(&p.Args[i]))
			}
			if p.Result != nil {
				texts = append(texts, pythonText(p.Result))
			}
		})
	}
	return texts
}

// evaluator prints what texts of Python show, as JSON: of a literal its value in one form, of anything else
// the text.
const evaluator = `import ast, json, sys
shown = {}
for text in json.load(open(sys.argv[1])):
    try:
        shown[text] = repr(ast.literal_eval(text))
    except Exception:
        shown[text] = text
print(json.dumps(shown))
`

// evaluate lets Python say what texts show.
func evaluate(t *testing.T, python, dir string, texts []string) (shown map[string]string) {
	t.Helper()
	list, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, dir, "texts.json", string(list))
	program := write(t, dir, "evaluator.py", evaluator)
	if err := json.Unmarshal(run(t, dir, python, program, file), &shown); err != nil {
		t.Fatal(err)
	}
	return shown
}

// members returns the keys and values of an object of texts, in order.
func members(t *testing.T, raw json.RawMessage) (list [][2]string) {
	t.Helper()
	if raw == nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	var words []string
	for {
		token, err := d.Token()
		if err != nil {
			break
		}
		if s, ok := token.(string); ok {
			words = append(words, s)
		}
	}
	for i := 0; i+1 < len(words); i += 2 {
		list = append(list, [2]string{words[i], words[i+1]})
	}
	return list
}
