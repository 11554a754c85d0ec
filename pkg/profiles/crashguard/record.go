// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package crashguard

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A record has lines of one length: what is refused, then what is being evaluated, one line for each seat, and in the end
// whether the process ends in order. A line is free, or has the time in nanoseconds since 1970, the digest of a text, and how
// that begins.
const (
	lineBytes = 256
	// maxRefused is how many refused texts are kept: the last ones.
	maxRefused = 55
	endLine    = maxRefused + Seats
	lines      = endLine + 1
	// maxQuoted leaves room for the time, the digest and what is between them.
	maxQuoted = lineBytes - 19 - 64 - 3
	free      = '.'
)

// record is the file, mapped into memory; nil: there is none.
type record []byte

func (r record) line(n int) []byte { return r[n*lineBytes : (n+1)*lineBytes] }

// note writes what is being evaluated on a seat. A process that dies before the end of that has not begun to evaluate it.
func (r record) note(seat int, began time.Time, note string) {
	if r == nil {
		return
	}
	r.write(maxRefused+seat, began, note)
}

func (r record) write(n int, began time.Time, note string) {
	line := r.line(n)
	written := strconv.AppendInt(line[:0], began.UnixNano(), 10)
	written = append(written, ' ')
	written = append(written, note...)
	written = append(written, '\n')
	clear(line[len(written):])
}

func (r record) clear(seat int) {
	if r != nil {
		r.line(maxRefused + seat)[0] = free
	}
}

// read returns what a line says.
func (r record) read(n int) (said RefusedError, found bool) {
	text, _, ended := strings.Cut(string(r.line(n)), "\n")
	words := strings.SplitN(text, " ", 3)
	if !ended || len(words) != 3 || len(words[1]) != 64 {
		return RefusedError{}, false
	}
	nanoseconds, err := strconv.ParseInt(words[0], 10, 64)
	if err != nil {
		return RefusedError{}, false
	}
	return RefusedError{Digest: words[1], Began: time.Unix(0, nanoseconds), Text: words[2]}, true
}

// end notes that the process ends in order.
func (r record) end() {
	if r != nil {
		r.line(endLine)[0] = 'e'
	}
}

// died returns what the process before died of, as far as the notes say: what it had evaluated for the longest time, for
// anything else takes microseconds. It finds nothing if the process was about to end in order.
func (r record) died() (of RefusedError, found bool) {
	if r.line(endLine)[0] != free {
		return RefusedError{}, false
	}
	for n := maxRefused; n < endLine; n++ {
		if said, is := r.read(n); is && (!found || said.Began.Before(of.Began)) {
			of, found = said, true
		}
	}
	return of, found
}

// refused are the texts that processes have died of, the last one first.
func (r record) refused() (all []RefusedError) {
	for n := range maxRefused {
		if said, is := r.read(n); is {
			all = append(all, said)
		}
	}
	if of, died := r.died(); died {
		all = slices.DeleteFunc(all, func(known RefusedError) bool { return known.Digest == of.Digest })
		all = append(all, of)
	}
	slices.SortFunc(all, func(a, b RefusedError) int { return cmp.Or(b.Began.Compare(a.Began), cmp.Compare(a.Digest, b.Digest)) })
	return all[:min(len(all), maxRefused)]
}

// Open has notes written to a file, which is created if it does not exist. What an earlier process was evaluating when it
// died is refused from now on. died says what that is, and whether there is something. Nobody may have entered before. It
// fails if another process uses the file, or if it is something else.
func (g *Guard) Open(path string) (of RefusedError, died bool, err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return RefusedError{}, false, fmt.Errorf("could not open the crash record: %w", err)
	}
	of, died, err = g.use(file)
	if err != nil {
		_ = file.Close()
		return RefusedError{}, false, fmt.Errorf("could not use the crash record %s: %w", path, err)
	}
	return of, died, nil
}

func (g *Guard) use(file *os.File) (of RefusedError, died bool, err error) {
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return of, false, fmt.Errorf("another process uses it: %w", err)
	}
	old := make(record, lines*lineBytes+1)
	read, err := file.ReadAt(old, 0)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return of, false, err
	case read == len(old) || read > 0 && read != lines*lineBytes:
		return of, false, fmt.Errorf("it is another file: a crash record has %d bytes", lines*lineBytes)
	case read == 0:
		old = record(bytes.Repeat([]byte{free}, len(old)))
	}
	of, died = old.died()
	// The bytes are written, and not only mapped, so that there is memory for all of them. What is refused comes first in
	// the file, and the end last: a process that is killed meanwhile leaves what the one before had noted.
	next := record(bytes.Repeat([]byte{free}, lines*lineBytes))
	for n, refusal := range old.refused() {
		next.write(n, refusal.Began, refusal.Digest+" "+refusal.Text)
		g.Refuse(refusal)
	}
	if _, err := file.WriteAt(next, 0); err != nil {
		return of, false, err
	}
	mapped, err := syscall.Mmap(int(file.Fd()), 0, len(next), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return of, false, fmt.Errorf("could not map it into memory: %w", err)
	}
	g.file, g.record = file, mapped
	return of, died, nil
}

// End says that the process ends in order: whatever it is still evaluating when it is killed, for it takes too long to end, it
// does not die of that.
func (g *Guard) End() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.record.end()
}

// Close ends, and lets another process use the file, which stays mapped. Nobody may enter any more.
func (g *Guard) Close() error {
	g.End()
	if g.file == nil {
		return nil
	}
	file := g.file
	g.file = nil
	return errors.Join(syscall.Flock(int(file.Fd()), syscall.LOCK_UN), file.Close())
}
