// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package standin stands in for KubeVirt on a local control plane: its two kinds, its admission webhook
// for evictions, and its controllers for evacuation, migration and disruption budgets, as KubeVirt's
// documentation describes them. Its virtual machines are pods that do nothing.
//
//	definitions.go  the kinds VirtualMachineInstance and VirtualMachineInstanceMigration
//	kubevirt.go     start and end; what tests ask and change
//	machine.go      a virtual machine, its pods and its budget
//	webhook.go      the answer to an eviction
//	loop.go         one look at everything, again and again
//	evacuation.go   which machines are to migrate, and when
//	migration.go    one migration, from phase to phase
//
// It never ends the pod of a machine that was not migrated. If somebody else does, it notes that.
package standin
