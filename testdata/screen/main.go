// Command screen draws the gallery: pictures of each screen of the explorer with the trace of tracex demo, at
// three sizes, on dark and light. Run it at the root of the project:
//
//	go run ./testdata/screen -o FOLDER
//
// The screens are in ui/gallery_test.go. The pictures of the README are beside this file; they are renewed with the
// expected screens: go test ./ui -update.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	dir := flag.String("o", "", "write the pictures to this folder (default: a temporary one)")
	flag.Parse()
	if err := draw(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "screen:", err)
		os.Exit(1)
	}
}

func draw(dir string) (err error) {
	if dir == "" {
		dir, err = os.MkdirTemp("", "tracex-gallery-")
	} else if dir, err = filepath.Abs(dir); err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return err
	}
	c := exec.Command("go", "test", "./ui", "-count=1", "-run=^TestGallery$", "-gallery="+dir)
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	if err := c.Run(); err != nil {
		return err
	}
	fmt.Println(dir)
	return nil
}
