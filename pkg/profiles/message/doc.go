// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package message makes the texts of notifications from the templates of profiles. Templates come from people who may
// write profiles, and no more than that: they see copied data without methods, what they insert is escaped for where it
// goes, and they end soon, with a short text, whatever they say.
//
// The templates are those of Go's text/template, which cannot be interrupted. So Parse walks through the parsed template
// and refuses what it does not know, and puts guards into the rest: each loop counts what it goes over, and each value
// that is inserted is escaped and counted.
//
// # Files
//
//	template.go, guard.go, pipe.go       parse a template, refuse what is not known to end soon, and put the guards
//	                                     in
//	shape.go                             which fields a template may name
//	functions.go, render.go, format.go   one rendering: what it may do, how it is cut, and how values are escaped
//	data.go, webhook.go                  what a template sees; what a webhook gets instead of a template
//	readable.go                          errors of text/template in our words
package message
