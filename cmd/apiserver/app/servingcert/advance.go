// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"crypto/x509"
	"fmt"
	"time"
)

// facts are what decides about the next state, besides the last one.
type facts struct {
	name string
	now  time.Time
	// spread says that the caBundles have had all trusted CAs for settleTime.
	spread bool
	// known are the CAs that this replica knows of besides the Secret: those in the caBundles, and the one that signed
	// what it serves with.
	known []*x509.Certificate
}

// firstState is the state of a Secret that does not exist yet. If it was deleted, nothing of it comes back.
func firstState(f facts) (state, error) {
	first, err := newAuthority(f.name, f.now)
	if err != nil {
		return state{}, err
	}
	return state{current: first, trusted: []*x509.Certificate{first.cert}, since: f.now}, nil
}

// advance returns what the Secret is to say, and in words what changes, if that is worth a line in the log.
func (s state) advance(f facts) (next state, change string, err error) {
	s = s.recall(f)
	switch {
	case s.current == nil && len(s.trusted) == 0:
		next, err = firstState(f)
		return next, fmt.Sprintf("made a new CA, as the former could not be used: %v", s.damage), err
	case s.next == nil && s.due(f.now):
		change = s.why()
		s.next, err = newAuthority(f.name, f.now)
	case s.next != nil && f.spread:
		s.current, s.next, s.since, change = s.next, nil, f.now, "the next CA signs from now on"
	}
	return s.tidy(f), change, err
}

// recall makes up for a list of trusted CAs that somebody damaged: what was trusted still is, since nobody said
// anything else. A list that can be read counts as it is.
func (s state) recall(f facts) state {
	if s.unreadable != nil {
		s.trusted = f.known
	}
	return s
}

func (s state) due(now time.Time) bool { return s.current == nil || !now.Before(dueAt(s.current.cert)) }

func (s state) why() string {
	if s.damage != nil {
		return fmt.Sprintf("made a next CA, as the current could not be used: %v", s.damage)
	}
	return fmt.Sprintf("made a next CA, as the current ends at %s", s.current.cert.NotAfter)
}

// tidy sees to it that all CAs in use are trusted, those in use first, and that no other is trusted for too long.
func (s state) tidy(f facts) state {
	if s.since.IsZero() || s.since.After(f.now.Add(clockSkew)) {
		s.since = f.now
	}
	former := s.trusted
	s.trusted = nil
	for _, a := range []*authority{s.current, s.next} {
		if a != nil {
			s.trusted = append(s.trusted, a.cert)
		}
	}
	for _, cert := range former {
		if !s.trusts(cert) && f.now.Before(cert.NotAfter) && !s.formerEnded(f.now) {
			s.trusted = append(s.trusted, cert)
		}
	}
	return s
}

// formerEnded says whether all certificates have ended that former CAs signed.
func (s state) formerEnded(now time.Time) bool {
	return s.current != nil && s.next == nil && !now.Before(s.formerEnd())
}

func (s state) formerEnd() time.Time { return s.since.Add(servingLifetime + clockSkew) }
