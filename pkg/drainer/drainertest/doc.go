// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package drainertest is for the tests of the drain engine: a simulated API server, and builders of
// the objects in it. It imports nothing of the engine, so that the tests of every package of the
// engine can import it.
//
// A builder is a struct whose zero fields have the defaults that most tests want:
//
//	drainertest.Budget{Name: "web", App: "web", Desired: 2, Healthy: 3, Expected: 3, Allowed: 1}.Object()
//
// A Server works in a bubble of testing/synctest: it tells the time by package time, and what it
// starts ends when its watches are stopped.
package drainertest
