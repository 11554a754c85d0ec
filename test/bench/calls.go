// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"slices"
	"strings"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

// calls are the requests of one user to kube-apiserver, by kind. Renewals of
// leases and events are not in the audit log.
type calls struct {
	accepted, refused, failed int
	gets, lists, watches      int
	// others are cordons, access reviews, and all else.
	others int
	// evictions are the times when kube-apiserver received each accepted eviction, by app.
	evictions map[string][]time.Time
}

// posts is how many evictions were asked for.
func (c *calls) posts() int { return c.accepted + c.refused + c.failed }

func (c *calls) all() int { return c.posts() + c.gets + c.lists + c.watches + c.others }

// callsOf counts what a user asked for in a span of time.
func (b *bench) callsOf(user string, begin, end time.Time) (*calls, error) {
	events, err := b.cluster.AuditEvents("", func(event *auditv1.Event) bool {
		at := event.RequestReceivedTimestamp.Time
		return event.User.Username == user && !at.Before(begin) && !at.After(end) && counts(event)
	})
	if err != nil {
		return nil, err
	}
	c := &calls{evictions: map[string][]time.Time{}}
	for i := range events {
		c.add(&events[i])
	}
	for _, times := range c.evictions {
		slices.SortFunc(times, time.Time.Compare)
	}
	return c, nil
}

// counts picks one event of each request: a watch that goes on has begun only.
func counts(event *auditv1.Event) bool {
	if event.Verb == "watch" {
		return event.Stage == auditv1.StageResponseStarted
	}
	return event.Stage == auditv1.StageResponseComplete
}

func (c *calls) add(event *auditv1.Event) {
	isPod := event.ObjectRef != nil && event.ObjectRef.Resource == "pods"
	switch {
	case localcluster.IsEviction(event):
		c.addEviction(event)
	case isPod && event.Verb == "get":
		c.gets++
	case isPod && event.Verb == "list":
		c.lists++
	case isPod && event.Verb == "watch":
		c.watches++
	default:
		c.others++
	}
}

func (c *calls) addEviction(event *auditv1.Event) {
	switch {
	case event.ResponseStatus == nil:
		c.failed++
	case event.ResponseStatus.Code == http.StatusCreated:
		c.accepted++
		app := appOf(event.ObjectRef.Name)
		c.evictions[app] = append(c.evictions[app], event.RequestReceivedTimestamp.Time)
	case event.ResponseStatus.Code == http.StatusTooManyRequests:
		c.refused++
	default:
		c.failed++
	}
}

// appOf is the app of a pod, by the pod's name.
func appOf(pod string) string {
	return pod[:max(strings.LastIndexByte(pod, '-'), 0)]
}

// reactions are how long it took from the moment at which a budget was seen to
// let a pod go again until the next eviction reached kube-apiserver. It pairs
// them in turn, which is right for budgets that let go one pod at a time.
func (c *calls) reactions(freed map[string][]time.Time) []time.Duration {
	var all []time.Duration
	for app, evictions := range c.evictions {
		for i, at := range evictions[1:] {
			if i < len(freed[app]) {
				// Both watches get the news at once, and ours may be read later.
				all = append(all, max(at.Sub(freed[app][i]), 0))
			}
		}
	}
	return all
}
