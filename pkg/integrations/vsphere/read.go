// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package vsphere

import (
	"context"
	"fmt"

	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25"
)

// readAll reads properties of all objects of a kind of a vCenter, in one request.
func readAll(ctx context.Context, client *vim25.Client, kind string, properties []string, into any) error {
	all, err := view.NewManager(client).CreateContainerView(ctx, client.ServiceContent.RootFolder, []string{kind}, true)
	if err != nil {
		return fmt.Errorf("could not look at each %s of the vCenter: %w", kind, err)
	}
	defer func() { _ = all.Destroy(context.WithoutCancel(ctx)) }() // or the session's end does
	if err := all.Retrieve(ctx, []string{kind}, properties, into); err != nil {
		return fmt.Errorf("could not read each %s of the vCenter: %w", kind, err)
	}
	return nil
}
