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
package sapimport
