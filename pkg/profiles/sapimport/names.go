// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

var (
	noNamePart = regexp.MustCompile(`[^A-Za-z0-9_]`)
	noDNSPart  = regexp.MustCompile(`[^a-z0-9]+`)
)

// names gives instances names that this server allows, each once.
type names struct {
	reserved func(string) bool
	taken    map[string]bool
}

func reservedForChecks(name string) bool { return expression.Reserved(name) }

func nothingReserved(string) bool { return false }

// of returns a name like the one that the controller has.
func (n *names) of(name string) string {
	if name == "" {
		return ""
	}
	allowed := noNamePart.ReplaceAllString(name, "_")
	if allowed[0] >= '0' && allowed[0] <= '9' || n.reserved(allowed) {
		allowed = "_" + allowed
	}
	return n.once(allowed, "_", v1beta1.MaxNameLength)
}

// dns returns a name of an object like the one that the controller has.
func (n *names) dns(name string) string {
	allowed := strings.Trim(noDNSPart.ReplaceAllString(strings.ToLower(name), "-"), "-")
	if allowed == "" {
		allowed = "profile"
	}
	return n.once(allowed, "-", dnsLabelLength)
}

// dnsLabelLength is how many characters the name of a profile has at most.
const dnsLabelLength = 63

// once adds a number to a name that is taken.
func (n *names) once(name, separator string, most int) string {
	free := cut(name, separator, most)
	for number := 2; n.taken[free]; number++ {
		suffix := fmt.Sprintf("%s%d", separator, number)
		free = cut(name, separator, most-len(suffix)) + suffix
	}
	n.taken[free] = true
	return free
}

// cut cuts off the end of a name that is too long, and separators that would then be its end.
func cut(name, separator string, most int) string {
	if len(name) <= most {
		return name
	}
	return strings.TrimRight(name[:most], separator)
}
