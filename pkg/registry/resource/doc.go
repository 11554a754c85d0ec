// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package resource turns the declaration of an API resource into the storage that serves it. A resource is declared
// once, as a Definition: its rules, columns, selectors and limit. The server derives its storage, its discovery entry,
// its columns and its selectors from it.
//
// Two things are around the store itself, so that no way to write goes past them:
//
//	bill.go    Bill: how many bytes a user, and all users together, may write in a time. All kinds share one
//	aside.go   an object that cannot be read is set aside, and nobody replaces it
//
// A Limit (limit.go) says how much users may store of one kind. Room (room.go) says how large limits are in the memory
// of this process. A store that is 80 % full takes no new objects, with status 507 (space.go). Updates, status writes
// and deletes go on.
//
// # Files
//
//	definition.go, storage.go       Definition, and the storage that is made of it
//	rest.go, status.go, redact.go   the resource; its subresource status; objects as the caller may see them
//	authorize.go                    an update that is authorized before anything tells of the stored object
//	rules.go                        the rules for writes that all kinds share, and what a kind says of its own
//	table.go, events.go             Column and Table, which kubectl prints; events of a watch that are changed
package resource
