// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	// shown is what stands for a secret.
	shown = "(secret)"
	// shortest is how many characters a secret has that is looked for: shorter ones are in most texts.
	shortest = 3
	// maxSecrets is how many secrets are remembered, with their forms. Those that were read last are kept.
	maxSecrets = 2048
)

// redactor knows what was read from Secrets, and takes it out of texts.
type redactor struct {
	mu       sync.Mutex
	secrets  []string // what was added last is last
	replacer *strings.Replacer
}

// addSecret remembers the values of a Secret, and what is made of them on the way.
func (r *redactor) addSecret(values map[string]string) {
	all := []string{}
	for key, value := range values {
		if key == keyURL {
			all = append(all, partsOf(value)...)
		}
		all = append(all, value)
	}
	user, password := values[keyUsername], values[keyPassword]
	r.add(append(all, user+":"+password, "\x00"+user+"\x00"+password)...)
}

// partsOf are the parts of a URL that errors have without the rest.
func partsOf(text string) []string {
	parsed, err := url.Parse(text)
	if err != nil {
		return nil
	}
	return []string{parsed.Host, parsed.Hostname(), parsed.Path, parsed.RequestURI(), parsed.RawQuery}
}

// add remembers secrets, each in the forms that it has in requests and in texts.
func (r *redactor) add(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, secret := range secrets {
		for _, form := range formsOf(secret) {
			r.secrets = slices.DeleteFunc(r.secrets, func(known string) bool { return known == form })
			r.secrets = append(r.secrets, form)
		}
	}
	r.secrets = r.secrets[max(0, len(r.secrets)-maxSecrets):]
	r.replacer = nil
}

func formsOf(secret string) []string {
	quoted := strconv.Quote(secret)
	inJSON, _ := json.Marshal(secret) // a text can always be written
	forms := []string{
		secret, strings.TrimSpace(secret), quoted[1 : len(quoted)-1], string(inJSON[1 : len(inJSON)-1]), url.QueryEscape(secret), url.PathEscape(secret),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawStdEncoding.EncodeToString([]byte(secret)),
		base64.URLEncoding.EncodeToString([]byte(secret)),
	}
	return slices.DeleteFunc(forms, func(form string) bool { return len(form) < shortest || len(secret) < shortest })
}

// clean returns a text without the secrets.
func (r *redactor) clean(text string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.replacer == nil {
		longestFirst := slices.Clone(r.secrets)
		slices.SortFunc(longestFirst, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
		pairs := []string{}
		for _, secret := range longestFirst {
			pairs = append(pairs, secret, shown)
		}
		r.replacer = strings.NewReplacer(pairs...)
	}
	return r.replacer.Replace(text)
}
