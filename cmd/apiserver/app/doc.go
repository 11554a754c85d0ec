// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package app is the maintenance-apiserver command. It reads the flags, connects the parts, and starts and stops them.
// It is the only place where the registry meets the drainer.
//
// Run does this, in order. A step that fails is one line for an admin:
//
//	run.go           opens the crash record; from here on, what the process before died of is not evaluated
//	cluster.go       asks the cluster what it serves. A kubeconfig that does not work is found here. Admission
//	                 plugins that an older cluster cannot support are turned off
//	callers.go       reads which CAs callers are known by. Until they are loaded, server/trust.go lets only
//	                 questions about health through
//	store/           opens the store: an embedded etcd (embeddedetcd/), an etcd of the admin, or the cluster's own
//	                 API (store/clusterstore/). It reads the ID of the store, and measures how full it is: every
//	                 second, or every 10 seconds if the etcd is external
//	certificate.go   lets servingcert/ sign a serving certificate, unless flags name files
//	leader.go        makes the elector (leadership/), unless one process has the store for itself
//	ownserver.go     asks which pods run this server
//	server/          puts the parts together, and runs them
//
// While a cluster is just starting, it does not know its roles yet: requests are repeated for about 5 seconds
// (warmup.go).
//
// # Life of a server
//
// One post-start hook starts the drainer and all that leads beside it, another one the keeper of the serving
// certificate. At SIGTERM, a pre-shutdown hook (server/shutdown.go) stops leading first, while the API still accepts
// the last status writes. The API goes on serving for --shutdown-delay-duration, with caches that are up to date. Then
// the server waits for running requests, and closes the store last. What the hooks start has contexts of its own, since
// the library's context for hooks ends only after every pre-shutdown hook has returned.
//
// # Subcommands
//
// The subcommands start no server. Each is a package: noderole, importer, profileimport, mustgather, migratestore and
// uninstall. Package subcommand has what they share.
package app
