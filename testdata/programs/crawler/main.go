// Crawler visits all pages of a site that it serves itself, each on a goroutine
// of its own, and records both sides.
//
//	go run ./testdata/programs/crawler trace.bin 100
//
// Page i of n links to the pages 2i+1, 2i+2 and i/2, all modulo n+1: there is no
// page n.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"

	"tracex/recorder"
	"tracex/recorder/httptrace"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "crawler:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: crawler TRACE PAGES")
	}
	pages, err := strconv.Atoi(args[1])
	if err != nil || pages < 1 {
		return fmt.Errorf("%q pages", args[1])
	}
	rec, err := recorder.Start(recorder.Config{Path: args[0]})
	if err != nil {
		return err
	}
	server := httptest.NewServer(httptrace.Middleware(rec, site(pages)))
	c := newCrawler(rec, server.URL)
	c.visit(context.Background(), "/0")
	c.group.Wait()
	server.Close() // waits for requests that are being answered
	return rec.Stop()
}

// site serves the pages: a line for each link.
func site(pages int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil || i < 0 || i >= pages {
			http.NotFound(w, r)
			return
		}
		for _, link := range []int{2*i + 1, 2*i + 2, i / 2} {
			fmt.Fprintf(w, "/%d\n", link%(pages+1))
		}
	})
}

// crawler visits each page once.
type crawler struct {
	url   string
	group sync.WaitGroup

	mu   sync.Mutex
	seen map[string]bool

	rec          *recorder.Recorder
	crawl, fetch recorder.Method
	atLink       recorder.Location
	link         recorder.Variable
}

func newCrawler(rec *recorder.Recorder, url string) *crawler {
	class := rec.Class("crawler.Crawler")
	text := recorder.ObjectType("string")
	return &crawler{
		url: url, seen: make(map[string]bool), rec: rec,
		crawl:  rec.Method(class, "crawl", recorder.Type{}, text),
		fetch:  rec.Method(class, "fetch", recorder.Type{}, text),
		atLink: rec.Caller(0),
		link:   rec.Variable("link", text),
	}
}

// visit crawls a page on a goroutine of its own, unless that was done.
func (c *crawler) visit(ctx context.Context, path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[path] {
		return
	}
	c.seen[path] = true
	c.group.Add(1)
	c.rec.Go(ctx, "crawl "+path, func(ctx context.Context) {
		defer c.group.Done()
		_, _ = c.page(ctx, path) // an error is in the trace
	})
}

// page visits what a page links to, and returns how many links it has.
func (c *crawler) page(ctx context.Context, path string) (n int, err error) {
	t := recorder.FromContext(ctx)
	defer t.Call(c.crawl, 0, recorder.Null(), recorder.String(path)).End(&n, &err)
	links, err := c.get(ctx, path)
	if err != nil {
		t.Throw(recorder.Error(err), 0)
		return 0, err
	}
	t.Loop(c.atLink)
	for _, link := range links {
		t.Iteration(c.atLink)
		t.WriteVariable(c.link, c.atLink, recorder.String(link))
		c.visit(ctx, link)
	}
	return len(links), nil
}

// get fetches a page and returns its links.
func (c *crawler) get(ctx context.Context, path string) ([]string, error) {
	status := 0
	defer recorder.FromContext(ctx).Call(c.fetch, 0, recorder.Null(), recorder.String(path)).End(&status)
	response, err := http.Get(c.url + path)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	status = response.StatusCode
	if status != http.StatusOK {
		return nil, errors.New(response.Status)
	}
	var links []string
	for link := ""; ; links = append(links, link) {
		if _, err := fmt.Fscanln(response.Body, &link); err != nil {
			return links, nil // its end
		}
	}
}
