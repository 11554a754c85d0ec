// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package machines reads and writes the machines of OpenShift's Machine API and of Cluster API, for the replacement of
// machines. It keeps no caches: it reads what it needs when it is asked. Machines say themselves which node they are.
// What nodes say of their machines is not looked at, because kubelets write it.
package machines
