// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sapimport translates the configuration of the SAP maintenance-controller into MaintenanceProfiles, with the
// MaintenanceEndpoints and Secrets that they need. It is pure: it gets the texts of the files and the values of the
// variables, and returns objects and a report of every key: whether it was taken over, changed, dropped, or cannot be
// mapped, and why.
//
// Files are read as that controller reads them, with variables such as ${V}, but strictly: what it ignores in silence is
// reported. Where it would have changed a value, such as "007" from a variable to 7, the value stays as it is, and the
// report says so.
//
// A file is read block by block. Each key that is read is reported as taken over, unless more is said of it. What is
// left when a block is done is a key that the controller does not know.
//
// # Files
//
//	translate.go, manifests.go             the whole translation, and its result as objects
//	report.go, reportorder.go              what became of each key
//	document.go, block.go, scalars.go,     a file, its mappings and its values, with their lines
//	lists.go
//	variables.go, readings.go              ${V} and its like; where the controller would have read another value
//	drop.go, requeue.go                    keys of which nothing is translated; how often servers are asked
//	instances.go, names.go                 the plugins of a section, and names that are allowed
//	profiles.go, states.go, chains.go      profiles, their states and transitions
//	checks.go, checkvalues.go,             the 16 checks
//	checklimits.go, checktimes.go,
//	checkanswers.go, hypervisor.go
//	gval.go, expressions.go                expressions as CEL
//	triggers.go, eviction.go,              the 5 triggers, the 3 notifiers and their schedules
//	notifiers.go, schedules.go
//	endpoints.go, servers.go               the servers that plugins call, and their Secrets
//	templates.go, rewriter.go, shapes.go   templates, from Go's structures to JSON
//	integrations.go                        the files of the integrations
package sapimport
