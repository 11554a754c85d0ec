// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package crashguard knows what a process was evaluating when it died: which expression, chain or template. What a process
// has died of is evaluated no more.
//
// A Guard notes each evaluation in a file before it begins, and takes the note back afterwards. The file is mapped into
// memory: to note something is to write a few bytes there, and the kernel keeps them when the process is killed, also for
// lack of memory. The next process finds the note. The file must be where it outlives the process, and nothing else: on a
// volume in memory, which outlives a container, but not the machine.
package crashguard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Seats is how many texts a process evaluates at the same time: others wait. That bounds their memory.
const Seats = 8

// Process is the guard of this process, which all share who evaluate what users write.
var Process = New()

// Guard notes what is being evaluated, and refuses what a process has died of. Use New. Many may use it at the same time.
type Guard struct {
	// seats has those that are free.
	seats chan int
	// file is locked as long as this process uses it, and record is what it has; nil: no note outlives the process.
	file   *os.File
	record record

	mu sync.RWMutex
	// refused are the texts that are evaluated no more, by their digests.
	refused map[string]RefusedError
	// refuses is how many they are.
	refuses atomic.Int64
}

// RefusedError says why a text is evaluated no more.
type RefusedError struct {
	// Digest is the SHA-256 of the text, in hexadecimal digits.
	Digest string
	// Began is the time when the evaluation began that the process did not survive.
	Began time.Time
	// Text is how the text begins, in quotes; empty if it is not known.
	Text string
}

// Error implements error.
func (r RefusedError) Error() string {
	return fmt.Sprintf("is not evaluated any more: a process of the server died while it evaluated this, at %s;"+
		" write it in another way, or with one more space if the process died of something else", r.Began.UTC().Format(time.RFC3339))
}

// New returns a Guard whose notes do not outlive the process.
func New() *Guard {
	g := &Guard{seats: make(chan int, Seats), refused: map[string]RefusedError{}}
	for seat := range Seats {
		g.seats <- seat
	}
	return g
}

// Text is a text that users have written, as a Guard notes it. It does not change.
type Text struct {
	digest string
	// note is what stands in the record after the time.
	note string
}

// TextOf returns a text for Enter. It takes some microseconds, so keep the result for as long as the text.
func TextOf(source string) Text {
	digest := digestOf(source)
	return Text{digest: digest, note: digest + " " + beginning(source)}
}

// beginning is how a text begins, in quotes, as far as it fits into a note.
func beginning(source string) string {
	quoted := strconv.QuoteToASCII(source[:min(len(source), maxQuoted)])
	return quoted[:min(len(quoted), maxQuoted)]
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Enter notes that the text is about to be evaluated, parsed or compiled. It waits for a seat. Leave is to be called with it
// in the end. It fails with a RefusedError, or with the error of the context.
func (g *Guard) Enter(ctx context.Context, text Text) (seat int, err error) {
	if g.refuses.Load() > 0 {
		g.mu.RLock()
		refusal, refused := g.refused[text.digest]
		g.mu.RUnlock()
		if refused {
			return 0, refusal
		}
	}
	select {
	case seat = <-g.seats:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	g.record.note(seat, time.Now(), text.note)
	return seat, nil
}

// Leave takes the note back.
func (g *Guard) Leave(seat int) {
	g.record.clear(seat)
	g.seats <- seat
}

// Refuse has a text evaluated no more.
func (g *Guard) Refuse(refusal RefusedError) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, known := g.refused[refusal.Digest]; !known {
		g.refused[refusal.Digest] = refusal
		g.refuses.Add(1)
	}
}

// Refuses is how many texts are evaluated no more.
func (g *Guard) Refuses() int { return int(g.refuses.Load()) }

// Refused says whether a text is evaluated no more, and why.
func (g *Guard) Refused(text string) (refusal RefusedError, refused bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if len(g.refused) == 0 {
		return RefusedError{}, false
	}
	refusal, refused = g.refused[digestOf(text)]
	return refusal, refused
}
