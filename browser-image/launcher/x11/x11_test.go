package x11

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestAuthorityFileHoldsOneCookieForEveryDisplay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "authority")
	if err := WriteAuthority(path, []byte("0123456789abcdef")); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(path)
	want := []byte("\xff\xff" + "\x00\x00" + "\x00\x00" + "\x00\x12MIT-MAGIC-COOKIE-1" + "\x00\x100123456789abcdef")
	if !bytes.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v: others can read the cookie", info.Mode())
	}
}

func TestRequestsArePaddedToWholeWords(t *testing.T) {
	got := padded(append(request(98, 0, 5), "RANDR"...))
	want := []byte{98, 0, 0, 0, 5, 0, 0, 0, 'R', 'A', 'N', 'D', 'R', 0, 0, 0}
	if !bytes.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
