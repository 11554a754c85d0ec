// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package legacy says what the NodeMaintenances of maintenance.medik8s.io are in the terms of the former
// node-maintenance operators. Each of their versions is a package below this one. They are converted to
// and from the type of maintenance.medik8s.io, which is their hub too: one stored object is seen under all
// names.
package legacy
