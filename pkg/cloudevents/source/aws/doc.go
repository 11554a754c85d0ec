// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package aws reads the scheduled events of EC2 with the call DescribeInstanceStatus. The caller needs the permission
// ec2:DescribeInstanceStatus. Credentials are found as AWS' SDK finds them: environment variables, the web identity of
// a ServiceAccount, EKS Pod Identity, the role of the machine.
//
// source.go asks all regions at a time. place.go says which instance of which region a node is, region.go and batch.go ask a
// region, in batches of 100 instances, and event.go translates what it says. settings.go has the flags, and http.go the client.
package aws
