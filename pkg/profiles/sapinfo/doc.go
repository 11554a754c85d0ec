// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sapinfo answers what the dashboard of the SAP maintenance-controller asks: the state of all nodes and profiles, as
// that controller shows it, from what is stored. Every replica answers, also after a restart.
package sapinfo
