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

func TestKeysThatMayBeGivenSymbols(t *testing.T) {
	symbols := func(values ...uint32) []byte {
		var out []byte
		for _, v := range values {
			out = le.AppendUint32(out, v)
		}
		return out
	}
	for name, c := range map[string]struct {
		symbols []byte
		want    bool
	}{
		"a key without any symbol":          {symbols(0, 0), true},
		"a multimedia key":                  {symbols(0x1008ff11, 0), true},
		"a letter":                          {symbols('a', 'A'), false},
		"a multimedia key that has another": {symbols(0x1008ff11, 'a'), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := unused(c.symbols); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestKeysymsOfRunes(t *testing.T) {
	for r, want := range map[rune]uint32{'a': 0x61, 'ä': 0xe4, '€': 0x20ac, 'Ω': 0x010003a9} {
		if got := keysym(r); got != want {
			t.Errorf("%c: got %#x, want %#x", r, got, want)
		}
	}
}
