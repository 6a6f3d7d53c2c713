package xdebug

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
)

// record reads a line of a trace.
func (c *converter) record(line []byte) error {
	c.columns = c.columns[:0]
	for rest, more := line, true; more; {
		var column []byte
		column, rest, more = bytes.Cut(rest, []byte("\t"))
		c.columns = append(c.columns, column)
	}
	if c.ended != none && (c.column(kindColumn) != "R" || c.number(numberColumn) != c.ended) {
		if err := c.noResult(); err != nil {
			return err
		}
	}
	switch kind := c.column(kindColumn); {
	case kind == "0" && len(c.columns) > includeColumn:
		return c.begin()
	case kind == "1" && len(c.columns) > timeColumn:
		return c.end()
	case kind == "R" && len(c.columns) > returnColumn:
		return c.result()
	case kind == "A" && len(c.columns) > assignedColumn:
		return c.assign()
	case kind == "" && c.column(levelColumn) == "" && len(c.columns) > timeColumn:
		c.setTime()
		return nil
	}
	c.to.Leave("line that is none of a trace", "lines that are none of a trace", 1, c.at)
	return nil
}

// begin begins a call.
func (c *converter) begin() error {
	c.setTime()
	level := c.number(levelColumn)
	for len(c.stack) > 0 && c.stack[len(c.stack)-1].level >= level {
		if err := c.unfinished(); err != nil {
			return err
		}
	}
	if c.thread == nil {
		c.thread = c.to.Thread(c.threadName())
	}
	if len(c.stack) >= maxDepth {
		c.to.Leave("call nested too deeply", "calls nested too deeply", 1, c.at)
		return nil
	}
	caller := ""
	if len(c.stack) > 0 {
		caller = c.stack[len(c.stack)-1].function.name
	}
	f := c.function(c.columns[nameColumn])
	c.call.Method = f.method
	c.call.Place = c.to.Place(c.column(fileColumn), caller, int(c.number(lineColumn)), c.args())
	c.stack = append(c.stack, frame{c.number(numberColumn), level, f})
	return c.thread.Begin(c.now, &c.call)
}

// threadName returns the name of the script.
func (c *converter) threadName() string {
	name := path.Base(strings.ReplaceAll(c.column(fileColumn), `\`, "/"))
	if c.column(fileColumn) == "" {
		name = "PHP"
	}
	if c.traces > 1 {
		name = fmt.Sprintf("%s #%d", name, c.traces)
	}
	return c.prefix + name
}

// fileNames are the names of the file that is included, and of the code that is evaluated.
var (
	includedName  = []string{"file"}
	evaluatedName = []string{"code"}
)

// args sets the arguments of the call, and returns their names.
func (c *converter) args() []string {
	c.call.Args = c.call.Args[:0]
	if include := c.columns[includeColumn]; len(include) > 0 {
		if include[0] == '\'' {
			c.call.Args = append(c.call.Args, valueOf(include))
			return evaluatedName
		}
		c.call.Args = append(c.call.Args, calltrace.String(valid(include)))
		return includedName
	}
	if len(c.columns) > valueColumn {
		for _, text := range c.columns[valueColumn:] {
			c.call.Args = append(c.call.Args, valueOf(text))
		}
	}
	return nil
}

// unfinished ends the innermost call, of which the trace has no end.
func (c *converter) unfinished() error {
	c.stack = c.stack[:len(c.stack)-1]
	c.to.Leave("call that did not end", "calls that did not end", 1, c.at)
	return c.thread.End(c.now, &calltrace.End{Unknown: true})
}

// end ends a call. Its result may follow in the next line.
func (c *converter) end() error {
	c.setTime()
	number := c.number(numberColumn)
	i := len(c.stack) - 1
	for i >= 0 && c.stack[i].number != number {
		i--
	}
	if i < 0 {
		c.to.Leave("end of a call from before the trace", "ends of calls from before the trace", 1, c.at)
		return nil
	}
	for len(c.stack)-1 > i {
		if err := c.unfinished(); err != nil {
			return err
		}
	}
	c.ended = number
	return nil
}

// noResult ends the call that has ended, without a result.
func (c *converter) noResult() error {
	if c.ended == none {
		return nil
	}
	return c.pop(&calltrace.End{})
}

func (c *converter) pop(end *calltrace.End) error {
	c.ended = none
	c.stack = c.stack[:len(c.stack)-1]
	return c.thread.End(c.now, end)
}

// result ends the call that has ended with a result.
func (c *converter) result() error {
	if c.ended == none {
		c.to.Leave("result without the end of its call", "results without the ends of their calls", 1, c.at)
		return nil
	}
	v := valueOf(bytes.Join(c.columns[returnColumn:], []byte("\t")))
	return c.pop(&calltrace.End{Result: &v})
}

// assign writes the value of a variable.
func (c *converter) assign() error {
	if c.thread == nil || len(c.stack) == 0 {
		c.to.Leave("assignment outside of calls", "assignments outside of calls", 1, c.at)
		return nil
	}
	name, v := assignment(bytes.Join(c.columns[assignedColumn:], []byte("\t")))
	return c.thread.Set(name, &v)
}

// knownFunctions is how many functions are known by their names.
const knownFunctions = 1 << 16

// function returns the function with a name.
func (c *converter) function(name []byte) *function {
	name = name[:min(len(name), fit.MaxName)]
	if f := c.functions[string(name)]; f != nil {
		return f
	}
	if len(c.functions) >= knownFunctions {
		clear(c.functions)
	}
	full := valid(name)
	class, method := split(full)
	f := &function{full, c.to.Method(class, method)}
	c.functions[string(name)] = f
	return f
}

// split returns the class of a name, "" if it has none, and the rest. Names of closures and of anonymous classes have
// paths in them; '.' would begin the shown name of the class.
func split(name string) (class, method string) {
	head := name
	if i := strings.LastIndex(name, "{closure"); i >= 0 {
		head = name[:i]
	}
	i := max(strings.LastIndex(head, "->"), strings.LastIndex(head, "::"))
	if i <= 0 || len(name) < i+3 {
		return "", name
	}
	return strings.ReplaceAll(name[:i], ".", "_"), name[i+len("->"):]
}
