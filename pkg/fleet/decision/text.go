// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// maxNames is how many names a message lists.
const maxNames = 3

// list are names for a message: w-1, w-2, w-3 and 4 more, in brackets and with a space before; empty if there are none.
func list(counted names) string {
	sorted := slices.Sorted(maps.Keys(counted))
	switch more := len(sorted) - maxNames; {
	case len(sorted) == 0:
		return ""
	case more > 0:
		return fmt.Sprintf(" (%s and %d more)", strings.Join(sorted[:maxNames], ", "), more)
	default:
		return fmt.Sprintf(" (%s)", strings.Join(sorted, ", "))
	}
}

// blockText says why the policy has no room.
func (s *state) blockText(p *policy, b block) string {
	text, known := p.texts[b]
	if !known {
		text = p.blockText(b)
		p.texts[b] = text
	}
	return text
}

func (p *policy) blockText(b block) string {
	switch b.kind {
	case blockConcurrent:
		return inMaintenance(*p.limits.concurrent, p.taken.concurrent, "")
	case blockDomain:
		of := domainText(p.limits.topology[b.topology].key, b.domain)
		return inMaintenance(*p.domainLimit(b.topology, b.domain), p.taken.domains[b.topology][b.domain], of)
	case blockDomains:
		return p.domainsText(b.topology)
	case blockUnavailable:
		if *p.limits.unavailable == 0 {
			return "no node may be unavailable"
		}
		return fmt.Sprintf("%d of %s unavailable%s", len(p.taken.unavailable), count(*p.limits.unavailable, "node"), list(p.taken.unavailable))
	case blockPace:
		return fmt.Sprintf("%d of %s within %s, the next at %s", p.taken.starts, count(int(*p.spec.Pace.MaxStarts), "start"),
			duration(p.period()), moment(p.nextStart()))
	default:
		return p.firstText()
	}
}

func inMaintenance(limit int, counted names, of string) string {
	if limit == 0 {
		return "no node" + of + " may be in maintenance"
	}
	return fmt.Sprintf("%d of %s%s in maintenance%s", len(counted), count(limit, "node"), of, list(counted))
}

func (p *policy) domainsText(i int) string {
	domains := names{}
	for domain := range p.taken.domains[i] {
		if domain == "" {
			domain = "none"
		}
		domains[domain] = true
	}
	limit := p.limits.topology[i]
	return fmt.Sprintf("%d of %s in maintenance%s", len(domains), count(*limit.domains, short(limit.key)), list(domains))
}

// firstText says for whom the room is kept.
func (p *policy) firstText() string {
	first := names{}
	for name := range p.promised.concurrent {
		if !p.taken.concurrent[name] {
			first[name] = true
		}
	}
	if p.kept != nil {
		first[p.kept.node.Name] = true
	}
	return "another node is first" + list(first)
}

// domainText is a domain in a message, with a space before: of zone a. Of nodes without the label it has the whole label:
// it may be misspelt.
func domainText(key, domain string) string {
	if domain == "" {
		return " without label " + key
	}
	return " of " + short(key) + " " + domain
}

// short is the part of a label that people use: the zone of topology.kubernetes.io/zone.
func short(key string) string { return key[strings.LastIndex(key, "/")+1:] }

// count is a number of things.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// duration is how long something takes, without the parts that are zero: 1h30m.
func duration(d time.Duration) string {
	text := d.String()
	if short, found := strings.CutSuffix(text, "m0s"); found {
		text = short + "m"
	}
	if short, found := strings.CutSuffix(text, "h0m"); found {
		text = short + "h"
	}
	return text
}
