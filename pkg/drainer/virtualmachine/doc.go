// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package virtualmachine says what KubeVirt does with the virtual machines of pods that are to be
// evicted. KubeVirt answers the eviction of a virt-launcher pod itself: its webhook refuses the
// eviction and has the virtual machine migrated. The pod completes when the migration has succeeded.
//
//	launcher.go   which pods are of virtual machines
//	machine.go    what is read of a VirtualMachineInstance
//	migration.go  what is read of a VirtualMachineInstanceMigration
//	facts.go      what is known of all of them at one moment
//	state.go      what becomes of one machine
//	explain.go    that, in words; pure, as all files above
//	watch.go      watches both kinds while a drain moves virtual machines, and only then
//	caches.go     what that watch keeps
//	pages.go      lists both kinds page by page, since a whole list may need more memory than there is
//	refused.go    what the API server says to who may not read them, or where KubeVirt is not installed
//	reader.go     reads the machines of a node once, for a plan that is only shown
//
// The server needs no permission for KubeVirt's kinds. Without it nothing is known, and the answer of
// the webhook is all that there is to say.
package virtualmachine
