// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import "slices"

// Outcome is what became of a key. A higher one overrules a lower one.
type Outcome int

const (
	// TakenOver means that it means the same here.
	TakenOver Outcome = iota
	// Changed means that it was taken over, but not as it was.
	Changed
	// Dropped means that it has no effect here, or had none there.
	Dropped
	// Unmapped means that it is wrong, or means something that this server does not have.
	Unmapped
)

func (o Outcome) String() string {
	return [...]string{"taken over", "changed", "dropped", "CANNOT BE MAPPED"}[o]
}

// Place is where a key is.
type Place struct {
	// File is the name of the file.
	File string
	// Line is its line, from 1.
	Line int
	// Key is its path, such as instances.check[approved].config.key.
	Key string
}

// Entry is what became of a key.
type Entry struct {
	Place
	// Outcome is what became of it.
	Outcome Outcome
	// Details say how it was changed, or why it was dropped or cannot be mapped.
	Details []string
}

// Report says of every key what became of it.
type Report struct {
	entries map[Place]*Entry
}

// say adds what became of a key. Several things may be said of one.
func (r *Report) say(at Place, outcome Outcome, detail string) {
	if r.entries == nil {
		r.entries = map[Place]*Entry{}
	}
	entry := r.entries[at]
	if entry == nil {
		entry = &Entry{Place: at}
		r.entries[at] = entry
	}
	entry.Outcome = max(entry.Outcome, outcome)
	if detail != "" && !slices.Contains(entry.Details, detail) {
		entry.Details = append(entry.Details, detail)
	}
}

// Entries are all keys, in the order of the files.
func (r *Report) Entries() []Entry {
	entries := make([]Entry, 0, len(r.entries))
	for _, entry := range r.entries {
		entries = append(entries, *entry)
	}
	slices.SortFunc(entries, compareEntries)
	return entries
}

// Count returns how many keys have the outcome.
func (r *Report) Count(outcome Outcome) int {
	count := 0
	for _, entry := range r.entries {
		if entry.Outcome == outcome {
			count++
		}
	}
	return count
}
