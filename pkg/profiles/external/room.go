// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
)

const (
	// roomBytes is how many bytes of answers are in memory at a time. What is made of an answer takes some times as much.
	roomBytes = 8 << 20
	// lineBytes is about what a line of a header takes besides its text.
	lineBytes = 128
)

// errNoRoom is why an answer was given up.
var errNoRoom = errors.New("its answer was given up, since large answers have come too slowly, or too many at the same time")

// room bounds the memory of answers, from when they come until they were judged, since whoever writes endpoints also says
// how large the answers are, and how slowly they come. If there is too little, it gives up the answer that came first, of
// those that are no smaller than the others are on average. So who has a server send slowly delays nobody but themselves.
type room struct {
	mu    sync.Mutex
	taken int
	// answers has the first one first.
	answers []*arriving
}

// arriving is one answer. The zero value with room and stop is one that has not come yet.
type arriving struct {
	room *room
	// stop ends its call.
	stop context.CancelCauseFunc

	bytes   int
	givenUp bool
}

// take has the answer take more room. Perhaps an answer is given up, this one or another one.
func (a *arriving) take(bytes int) {
	r := a.room
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.givenUp {
		return
	}
	if a.bytes == 0 {
		r.answers = append(r.answers, a)
	}
	a.bytes += bytes
	r.taken += bytes
	for r.taken > roomBytes {
		mean := r.taken / len(r.answers)
		first := r.answers[slices.IndexFunc(r.answers, func(other *arriving) bool { return other.bytes >= mean })]
		r.drop(first)
		first.givenUp = true
		first.stop(errNoRoom)
	}
}

// leave gives back what the answer has taken.
func (a *arriving) leave() {
	a.room.mu.Lock()
	defer a.room.mu.Unlock()
	if !a.givenUp {
		a.room.drop(a)
	}
}

// drop is called with the lock held.
func (r *room) drop(a *arriving) {
	r.answers = slices.DeleteFunc(r.answers, func(other *arriving) bool { return other == a })
	r.taken -= a.bytes
	a.bytes = 0
}

// counting returns a client whose answer takes room.
func (a *arriving) counting(client *http.Client) *http.Client {
	counted := *client
	counted.Transport = &counter{client.Transport, a}
	return &counted
}

// counter makes calls whose answers take room.
type counter struct {
	http.RoundTripper
	answer *arriving
}

// RoundTrip implements http.RoundTripper.
func (c *counter) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := c.RoundTripper.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	header := lineBytes
	for name, values := range response.Header {
		header += len(name) + lineBytes
		for _, value := range values {
			header += len(value)
		}
	}
	c.answer.take(header)
	response.Body = &countedBody{response.Body, c.answer}
	return response, nil
}

type countedBody struct {
	io.ReadCloser
	answer *arriving
}

// Read implements io.Reader.
func (b *countedBody) Read(into []byte) (int, error) {
	read, err := b.ReadCloser.Read(into)
	b.answer.take(read)
	return read, err
}
