// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package servingcert keeps the serving certificate of a server whose admin provides none. A Secret has the CA,
// which all replicas share. Each replica signs a certificate of its own with it, in memory, and sees to it that the
// aggregator trusts the CA: it sets the caBundle of the server's APIServices.
//
// The CA is replaced before it ends, without a failed request. Every step is one update of the Secret, which only
// succeeds if nobody changed it meanwhile, and follows from what the Secret and the APIServices say. So any replica
// can do the next step, and may crash between two:
//
//  1. A next CA is made. The caBundles get it beside the current one, which still signs.
//  2. When all caBundles have had both for settleTime, the next CA becomes the current one. The replicas sign anew.
//  3. When the last certificate that the former CA signed must have ended, the former CA is dropped.
//
// # Files
//
//	authority.go, pair.go          pure: make a CA; sign a serving certificate with it
//	state.go, advance.go           pure: what the Secret says; what it says next
//	keeper.go, run.go, pauses.go   look at the cluster, and do what follows; the time of the next look
//	secret.go, apiservices.go      read and write the Secret and the APIServices
//	serving.go, content.go         sign the certificate anew; hand it to the library
package servingcert
