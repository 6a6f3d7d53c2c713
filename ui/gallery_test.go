package ui

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/uitest"
)

var galleryDir = flag.String("gallery", "", "the folder that TestGallery keeps its pictures in")

// gallery are the screens that are drawn as pictures, and the keys that lead there in the trace of the command demo. With
// details it begins with those of the row.
var gallery = []struct {
	name, keys string
	details    bool
}{
	{"tree", "e e e j j", false},
	{"details", "/ r e f u s e d enter E", true},
	{"source", "/ p r i c e enter n n E S", false},
	{"panes", "/ p r i c e enter n n E S", true},
	{"strip", "/ p r i c e enter V", false},
	{"flame", "/ C h a r l e s enter V V", false},
	{"top", "T", false},
	{"callers", "/ p a y enter w", false},
	{"calls", "/ p a y enter a", false},
	{"throws", "!", false},
	{"history", "/ t o t a l enter H", false},
	{"around", "/ l a b e l enter U", false},
	{"state", "/ t o t a l enter n n : s t a t e enter", false},
	{"steps", "/ p r i c e enter - m : s t e p s enter", false},
	{"filter", "& p r i c e enter", false},
	{"search", "/ p r i c", false},
	{"hits", "/ p r i c e enter M", false},
	{"threads", "t", false},
	{"marks", "/ p r i c e enter m a n m b A w h y ? enter B", false},
	{"overview", "I", false},
	{"prefix", "/ p r i c e enter -", false},
	{"palette", "ctrl+p t h r", false},
	{"commands", ": h e l p enter", false},
	{"help", "?", false},
	{"themes", ": t h e m e enter down down down", false},
	{"focus", "/ r e f u s e d enter ctrl+w w 1 3 j", true},
	{"message", ": n o s u c h enter", false},
}

// shop explores the trace of the command demo on a terminal that has all colors.
func shop(t *testing.T, r *lazy.LazyTraceReader, width, height int, o Options, on terminal) *driver {
	o.Name, o.Path, o.Source = "shop.bin", "shop.bin", []string{"testdata/programs/shop"}
	d := drive(t, r, width, height, o)
	d.m.env.Paint(d.m.env.Theme, colorprofile.TrueColor)
	d.send(tea.BackgroundColorMsg{Color: lipgloss.Color(on.background)})
	return d
}

// TestGallery draws all screens at three sizes, on dark and light. Those that are in the repository, for the README, are
// as expected.
func TestGallery(t *testing.T) {
	r := uitest.Open(t, formattest.Demo(t), lazy.Options{NoWrite: true})
	dir := *galleryDir
	if dir == "" {
		dir = t.TempDir()
	}
	t.Chdir("..") // where the sources are
	for _, page := range gallery {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
			for on, terminal := range terminals {
				name := fmt.Sprintf("%s-%dx%d-%s.svg", page.name, size[0], size[1], on)
				d := shop(t, r, size[0], size[1], Options{Details: page.details}, terminal).keys(page.keys).fire(env.PrefixWaited{})
				d.screen()
				picture := terminal.svg(d.m.View(), size[0], size[1])
				if err := wellFormed(picture); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), picture, 0o644); err != nil {
					t.Fatal(err)
				}
				if *galleryDir == "" {
					d.picture(filepath.Join("testdata", "screen", name), picture)
				}
			}
		}
	}
}

// picture compares a picture with that in the repository, if there is one.
func (d *driver) picture(path string, got []byte) {
	d.t.Helper()
	want, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		d.t.Fatal(err)
	case *update:
		if err := os.WriteFile(path, got, 0o644); err != nil {
			d.t.Fatal(err)
		}
	case string(got) != string(want):
		d.t.Errorf("%s differs from the screen; go test ./ui -update draws it", path)
	}
}

// wellFormed reads an XML document.
func wellFormed(b []byte) error {
	for d := xml.NewDecoder(strings.NewReader(string(b))); ; {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// TestPaintedTheme: a theme with a background of its own has it everywhere.
func TestPaintedTheme(t *testing.T) {
	r := uitest.Open(t, formattest.Demo(t), lazy.Options{NoWrite: true})
	t.Chdir("..")
	for _, page := range gallery {
		d := shop(t, r, 120, 40, Options{Details: page.details, Theme: "nord"}, terminals["dark"]).keys(page.keys).fire(env.PrefixWaited{})
		screen := uv.NewScreenBuffer(120, 40)
		uv.NewStyledString(d.view()).Draw(screen, screen.Bounds())
		bare := 0
		for y := range 40 {
			for x := range 120 {
				if s := screen.CellAt(x, y).Style; s.Bg == nil {
					if bare++; bare == 1 {
						t.Errorf("%s: the cell at column %d of line %d has no background", page.name, x, y)
					}
				}
			}
		}
	}
}
