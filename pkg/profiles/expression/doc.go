// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package expression has the two languages of MaintenanceProfiles: chains of checks, such as "approved && !frozen", and
// expressions of CEL about nodes, objects and answers. It is pure: admission refuses with it, and the engine evaluates
// with it, what has been admitted.
//
// Chains are parsed by cel-go and evaluated by a walk of our own, since a check can also end in an error or have no
// answer yet, and since a chain must say which checks were decisive. Expressions have the functions of Kubernetes' own
// expressions, and its limit of cost.
package expression
