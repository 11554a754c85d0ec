// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package expression has the two languages of MaintenanceProfiles: chains of checks, such as "approved && !frozen", and
// expressions of CEL about nodes, objects and answers. It is pure: admission refuses with it, and the engine evaluates
// with it, what has been admitted.
//
// Chains are parsed by cel-go and evaluated by a walk of our own, since a check can also end in an error or have no
// answer yet, and since a chain must say which checks were decisive. Expressions have the functions of Kubernetes' own
// expressions.
//
// # Files
//
//	chain.go, link.go                 a chain: its result, its decisive checks, and which checks it still wants
//	parse.go, hints.go, reserved.go   a chain, from what cel-go has parsed; what would be right instead
//	environment.go, input.go,         what an expression can see, and what its value must be
//	response.go
//	compile.go, fields.go,            whether an expression is admitted; programs, each made once
//	rewrite.go, cost.go
//	program.go, convert.go,           an evaluation, within its bounds
//	evaluationerror.go
//	guard.go, guardcosts.go,          what an evaluation makes and compares, counted by function before it is made
//	guardregex.go
//	error.go, refusal.go              what is wrong, and where, in words for people
package expression
