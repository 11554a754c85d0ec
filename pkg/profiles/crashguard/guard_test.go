// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package crashguard

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// diesOf names, in the environment of a child of a test, what it dies of.
const diesOf = "CRASHGUARD_TEST_DIES_OF"

// death is what a child does that evaluates something.
type death struct {
	does func(g *Guard, leave func())
	// isInnocent says that the process dies of nothing that it evaluates.
	isInnocent bool
}

var deaths = map[string]death{
	"SIGKILL": {does: func(*Guard, func()) { awaitKill() }},
	"too little memory": {does: func(*Guard, func()) {
		if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20}); err != nil {
			panic(err)
		}
		fmt.Fprintln(os.Stderr, len(bytes.Repeat([]byte{1}, 1<<30)))
	}},
	"a stack that overflows": {does: func(*Guard, func()) {
		debug.SetMaxStack(1 << 20)
		var deeper func(int) int
		deeper = func(n int) int { return deeper(n+1) + n }
		fmt.Println(deeper(0))
	}},
	"a panic elsewhere": {does: func(*Guard, func()) {
		go func() { panic("a defect") }()
		select {}
	}},
	"its end":            {isInnocent: true, does: func(_ *Guard, leave func()) { leave() }},
	"a later SIGKILL":    {isInnocent: true, does: func(_ *Guard, leave func()) { leave(); awaitKill() }},
	"SIGKILL as it ends": {isInnocent: true, does: func(g *Guard, _ func()) { g.End(); awaitKill() }},
}

// awaitKill has the test kill the process.
func awaitKill() {
	fmt.Println("ready")
	select {}
}

// TestMain is also the child that dies.
func TestMain(m *testing.M) {
	of, isChild := deaths[os.Getenv(diesOf)]
	if !isChild {
		os.Exit(m.Run())
	}
	g := New()
	if _, _, err := g.Open(os.Args[1]); err != nil {
		panic(err)
	}
	g.Leave(enter("innocent", g))
	bomb, later := enter("bomb", g), enter("later", g)
	of.does(g, func() { g.Leave(bomb); g.Leave(later) })
}

func enter(text string, g *Guard) (seat int) {
	seat, err := g.Enter(context.Background(), TextOf(text))
	if err != nil {
		panic(err)
	}
	return seat
}

// die has a child die that uses the record.
func die(t *testing.T, record, of string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], record)
	child.Env = append(os.Environ(), diesOf+"="+of)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if said, _ := bufio.NewReader(out).ReadString('\n'); said != "" {
		if err := child.Process.Kill(); err != nil {
			t.Error(err)
		}
	}
	if err := child.Wait(); (err == nil) != (of == "its end") {
		t.Errorf("the child has ended with %v", err)
	}
}

// Whatever a process dies of, the next one knows what it was evaluating for the longest time, and does not do so again. Nor
// does the one after.
func TestDeaths(t *testing.T) {
	for name, death := range deaths {
		t.Run(name, func(t *testing.T) {
			record := filepath.Join(t.TempDir(), "record")
			began := time.Now()
			die(t, record, name)
			for successor := range 2 {
				g, of, died := open(t, record)
				if died != (successor == 0 && !death.isInnocent) || died && of.Text != `"bomb"` {
					t.Errorf("it died: %t, of %s", died, of.Text)
				}
				refusal, refused := g.Refused("bomb")
				if refused == death.isInnocent || (g.Refuses() > 0) != refused {
					t.Errorf("refused: %t, want %t", refused, !death.isInnocent)
				}
				if refused && (refusal.Began.Before(began) || refusal.Began.After(time.Now())) {
					t.Errorf("it began at %s, want after %s", refusal.Began, began)
				}
				seat, err := g.Enter(t.Context(), TextOf("bomb"))
				if errors.As(err, new(RefusedError)) != refused {
					t.Errorf("to evaluate it again gave %v", err)
				}
				if err == nil {
					g.Leave(seat)
				}
				for _, text := range []string{"innocent", "later"} {
					g.Leave(enter(text, g))
				}
				closeGuard(t, g)
			}
		})
	}
}

func open(t *testing.T, record string) (g *Guard, of RefusedError, died bool) {
	t.Helper()
	g = New()
	of, died, err := g.Open(record)
	if err != nil {
		t.Fatal(err)
	}
	return g, of, died
}

func closeGuard(t *testing.T, g *Guard) {
	t.Helper()
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// The record keeps the last deaths, also those of before it was opened last, whatever texts they are.
func TestManyDeaths(t *testing.T) {
	record := filepath.Join(t.TempDir(), "record")
	text := func(n int) string { return fmt.Sprintf("%d%s", n, strings.Repeat("\x00ü\n ", n*10)) }
	const deaths = maxRefused + 4
	for n := range deaths {
		g, _, _ := open(t, record)
		enter(text(n), g)
		g.record = nil // it dies before it ends
		closeGuard(t, g)
	}
	g, of, died := open(t, record)
	if want := TextOf(text(deaths - 1)).digest; !died || of.Digest != want {
		t.Errorf("it died: %t, of %+v, want %s", died, of, want)
	}
	for n := range deaths {
		if _, refused := g.Refused(text(n)); refused != (n >= 4) {
			t.Errorf("text %d is refused: %t", n, refused)
		}
	}
	closeGuard(t, g)
}

// What is no crash record is left alone.
func TestOpenRefuses(t *testing.T) {
	folder := t.TempDir()
	config, used := filepath.Join(folder, "config"), filepath.Join(folder, "used")
	if err := os.WriteFile(config, []byte("a: b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	user, _, _ := open(t, used)
	for path, want := range map[string]string{
		config:                             "it is another file: a crash record has 16384 bytes",
		used:                               "another process uses it",
		filepath.Join(folder, "none", "a"): "no such file",
		folder:                             "is a directory",
	} {
		if _, _, err := New().Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("to open %s gave %v, want that %s", path, err, want)
		}
	}
	if kept, err := os.ReadFile(config); err != nil || string(kept) != "a: b\n" {
		t.Errorf("the file is %q now, %v", kept, err)
	}
	closeGuard(t, user)
}

// No more texts than there are seats are evaluated at the same time; who waits can give up. What another process has died of
// is refused, too.
func TestSeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New()
		seat := 0
		for range Seats {
			seat = enter("text", g)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := g.Enter(ctx, TextOf("text")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("without a seat, to enter gave %v", err)
		}
		g.Leave(seat)
		g.Leave(enter("text", g))
		g.Refuse(RefusedError{Digest: TextOf("text").digest})
		g.Refuse(RefusedError{Digest: TextOf("text").digest})
		if _, err := g.Enter(t.Context(), TextOf("text")); !errors.As(err, new(RefusedError)) {
			t.Errorf("what is refused was entered: %v", err)
		}
	})
}

func BenchmarkEnter(b *testing.B) {
	for name, record := range map[string]string{"without a file": "", "with a file": filepath.Join(b.TempDir(), "record")} {
		b.Run(name, func(b *testing.B) {
			g := New()
			if record != "" {
				if _, _, err := g.Open(record); err != nil {
					b.Fatal(err)
				}
			}
			text := TextOf(strings.Repeat("node.metadata.name ", 20))
			b.ReportAllocs()
			for b.Loop() {
				seat, err := g.Enter(b.Context(), text)
				if err != nil {
					b.Fatal(err)
				}
				g.Leave(seat)
			}
		})
	}
}
