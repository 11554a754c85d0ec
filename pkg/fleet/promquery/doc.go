// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package promquery asks one Prometheus server, which the admin names, whether a query has a result. People who
// write policies choose the query, and nothing else: not the server, not the credentials, and not how long or how
// much it may answer.
//
// Number reads a result for those who have a client of their own.
package promquery
