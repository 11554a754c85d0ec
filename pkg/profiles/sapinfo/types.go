// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapinfo

import "time"

// nodeInfo and the types below have the JSON of the controller. Lists and maps are never null.
type nodeInfo struct {
	Node     string            `json:"node"`
	Profiles []profileInfo     `json:"profiles"`
	Labels   map[string]string `json:"labels"`
	Updated  time.Time         `json:"updated"`
}

type profileInfo struct {
	Applied appliedInfo `json:"applied"`
	Name    string      `json:"name"`
	State   string      `json:"state"`
}

// appliedInfo is what came of the last evaluation. Next is the state itself, unless a transition is being done.
type appliedInfo struct {
	Next        string           `json:"next"`
	Transitions []transitionInfo `json:"transitions"`
	Error       string           `json:"error"`
}

type transitionInfo struct {
	Passed bool      `json:"passed"`
	Target string    `json:"target"`
	Chain  chainInfo `json:"chain"`
	Error  string    `json:"error"`
}

type chainInfo struct {
	Passed     bool                 `json:"passed"`
	Info       map[string]checkInfo `json:"info"`
	Expression string               `json:"expression"`
}

// checkInfo is the result of a check. ID is its type.
type checkInfo struct {
	ID     string            `json:"id"`
	Passed bool              `json:"passed"`
	Info   map[string]string `json:"info"`
}
