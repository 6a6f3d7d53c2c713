package query

import (
	"context"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/goroutines"
	"tracex/lazy/query/table"
)

// ThreadsNamed returns the threads that a text names: by the number of their goroutine, such as g45, by their own, as
// people count, or by their name. It is empty if the trace has none.
func ThreadsNamed(ctx context.Context, r *lazy.LazyTraceReader, text string) (ids []int32, err error) {
	if n, ok := goroutines.Read(text); ok {
		if ids, err = goroutines.Threads(ctx, r.ThreadList(), n); err != nil || len(ids) > 0 {
			return ids, err
		}
	}
	if n, err := strconv.ParseInt(text, 10, 32); err == nil && n > 0 {
		if _, ok := r.ThreadInfo(int32(n - 1)); ok {
			return []int32{int32(n - 1)}, nil
		}
	}
	for t := range r.ThreadList().All() {
		if t.Name == text {
			ids = append(ids, t.ID)
		}
	}
	return ids, nil
}

// threadNumber is the thread as people count.
func threadNumber(thread int32) string { return "Thread " + strconv.FormatInt(int64(thread)+1, 10) }

// threadName is the name of a thread, or its number if it has none.
func threadName(c *format.Context, thread int32) string {
	if t := c.Thread(thread); t != nil && t.Name != "" {
		return t.Name
	}
	return threadNumber(thread)
}

// threadValue returns a thread as a value.
func threadValue(c *format.Context, thread int32) callValue {
	v := callValue{kind: valueThread, n: int64(thread), text: threadNumber(thread)}
	if t := c.Thread(thread); t != nil && t.Name != "" {
		v.text += " (" + t.Name + ")"
	}
	return v
}

// threadNamed is the name of a thread, shown as shortThread has it.
func threadNamed(name string) table.Value {
	return table.Str(shortThread(name)).JSON(format.AppendJSONString(nil, name))
}

// shortThread is the name of a thread; of a goroutine its number and function, as the tree has them.
func shortThread(name string) string {
	n, ok := goroutines.Parse(name)
	if !ok || n.Main() {
		return name
	}
	text, end := n.Heading()
	return strings.TrimSpace(text[:end])
}
