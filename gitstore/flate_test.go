package gitstore

import (
	"bytes"
	"compress/zlib"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

func deflated(t testing.TB, data []byte, level int) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := zlib.NewWriterLevel(&buf, level)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(data)
	w.Close()
	return buf.Bytes()
}

func TestInflateStart(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 70000)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	for _, data := range [][]byte{
		nil, []byte("a"), []byte(strings.Repeat("abc", 30000)), noise,
		[]byte("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@x> 1700000000 +0000\n"),
		append(bytes.Repeat([]byte{0}, 300), noise[:3000]...),
	} {
		for level := zlib.HuffmanOnly; level <= zlib.BestCompression; level++ {
			src := deflated(t, data, level)
			for _, size := range []int{0, 1, 300, 512, 40000, len(data) + 10} {
				dst := make([]byte, size)
				n, err := inflateStart(dst, src)
				if want := data[:min(size, len(data))]; err != nil || !bytes.Equal(dst[:n], want) {
					t.Fatalf("level %d, %d of %d bytes: %d, %v", level, size, len(data), n, err)
				}
			}
		}
	}
}

func TestInflateWhole(t *testing.T) {
	for _, text := range []string{"", "a", "tree 4b825dc\nparent 4b825dc\n", strings.Repeat("hello, ", 900)} {
		src := deflated(t, []byte(text), zlib.DefaultCompression)
		if got, err := inflateWhole(len(text), src); err != nil || string(got) != text {
			t.Errorf("%q: %q, %v", text, got, err)
		}
		for _, size := range []int{len(text) - 1, len(text) + 1} {
			if _, err := inflateWhole(max(0, size), src); err == nil && size >= 0 {
				t.Errorf("%q was taken for %d bytes", text, size)
			}
		}
		damaged := bytes.Clone(src)
		damaged[len(damaged)-1] ^= 1
		if _, err := inflateWhole(len(text), damaged); err == nil {
			t.Errorf("%q: a wrong checksum was accepted", text)
		}
		if _, err := inflateWhole(len(text), src[:len(src)-1]); err == nil {
			t.Errorf("%q: a stream without its end was accepted", text)
		}
	}
}

// FuzzInflateStart compares with compress/zlib: what it decodes must be decoded to
// the same bytes, and what is decoded must not be more than it decodes.
func FuzzInflateStart(f *testing.F) {
	for _, text := range []string{"", "hello hello hello", strings.Repeat("tree 0123456789abcdef\n", 40)} {
		for level := zlib.HuffmanOnly; level <= zlib.BestCompression; level += 3 {
			f.Add(deflated(f, []byte(text), level))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		dst := make([]byte, 512)
		n, err := inflateStart(dst, src)
		r, wantErr := zlib.NewReader(bytes.NewReader(src))
		if wantErr != nil {
			return
		}
		want, wantErr := io.ReadAll(io.LimitReader(r, int64(len(dst))))
		switch {
		case err == nil && len(want) >= n && !bytes.Equal(want[:n], dst[:n]):
			t.Errorf("decoded %q, want %q", dst[:n], want)
		case wantErr == nil && err != nil:
			t.Errorf("refused with %v, want %q", err, want)
		case wantErr == nil && n != len(want):
			t.Errorf("decoded %d bytes, want %d", n, len(want))
		}
	})
}

// commitText is the size and kind of text that most commits are.
const commitText = `tree 8f2a6c51de2c0cf1d0f8f1e3a0e5bd1c44a9f7a2
parent 0e4ba6d3c2f1a7785c6f1f6bfae2a1d0f3c1b2a9
author Ann Author <ann@example.com> 1700000000 +0100
committer GitHub <noreply@github.com> 1700003600 +0000

object-name: keep the type of an abbreviated name

When several objects share a prefix the type that the caller asked for decides,
but it was forgotten as soon as a second candidate came into sight. Remember it
and say which objects were meant.

Signed-off-by: Ann Author <ann@example.com>
Reviewed-by: Bob Builder <bob@example.com>
`

// BenchmarkInflate measures what a walk does with each commit: the header of most,
// the whole of those in the range.
func BenchmarkInflate(b *testing.B) {
	src := deflated(b, []byte(commitText), zlib.DefaultCompression)
	b.Run("start", func(b *testing.B) {
		dst := make([]byte, headerBytes)
		for b.Loop() {
			if _, err := inflateStart(dst, src); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("whole", func(b *testing.B) {
		for b.Loop() {
			if _, err := inflateWhole(len(commitText), src); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("compress/zlib", func(b *testing.B) {
		r, err := zlib.NewReader(bytes.NewReader(src))
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if err := r.(zlib.Resetter).Reset(bytes.NewReader(src), nil); err != nil {
				b.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, r); err != nil {
				b.Fatal(err)
			}
		}
	})
}
