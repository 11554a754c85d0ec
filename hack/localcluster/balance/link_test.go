// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package balance

import (
	"testing"
	"time"
)

// A request over a link that is cut waits, and is lost with its connection; the next one passes.
func TestLink(t *testing.T) {
	server := newStandIn(t, true)
	link, err := NewLink(server.address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(link.Close)
	open, late := client(t, true), client(t, false)
	if got := get(open, link.Address()); got != server.address() {
		t.Fatalf("got an answer from %q through a whole link, want one from %q", got, server.address())
	}

	link.Cut()
	answers := make(chan string, 2)
	go func() { answers <- get(open, link.Address()) }()
	go func() { answers <- get(late, link.Address()) }()
	select {
	case got := <-answers:
		t.Errorf("got %q through a link that is cut", got)
	case <-time.After(100 * time.Millisecond):
	}

	link.Mend()
	for range 2 {
		select {
		case <-answers:
		case <-time.After(patience):
			t.Fatal("a request waits still after the link was mended")
		}
	}
	if got := get(open, link.Address()); got != server.address() {
		t.Errorf("got an answer from %q through a link that was mended, want one from %q", got, server.address())
	}
}
