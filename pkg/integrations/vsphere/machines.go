// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package vsphere

import (
	"context"
	"fmt"
	"time"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// powerTimeout is how long it may take to power a machine on or off.
const powerTimeout = 30 * time.Second

// machine is a virtual machine.
type machine struct {
	*object.VirtualMachine
	on bool
}

// machinesOf returns the machines of a vCenter by name. Several may have the same name.
func machinesOf(ctx context.Context, client *vim25.Client) (map[string][]machine, error) {
	var read []mo.VirtualMachine
	if err := readAll(ctx, client, "VirtualMachine", []string{"name", "runtime.powerState"}, &read); err != nil {
		return nil, err
	}
	machines := map[string][]machine{}
	for i := range read {
		on := read[i].Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn
		machines[read[i].Name] = append(machines[read[i].Name], machine{object.NewVirtualMachine(client, read[i].Self), on})
	}
	return machines, nil
}

// shutDown asks the guest to shut down. noTools says that nobody in it listens.
func (m machine) shutDown(ctx context.Context) (noTools bool, err error) {
	err = m.ShutdownGuest(ctx)
	if fault.Is(err, &types.ToolsUnavailable{}) {
		return true, nil
	}
	return false, unlessSo(err, "could not ask the guest to shut down")
}

func (m machine) powerOff(ctx context.Context) error {
	return unlessSo(finish(ctx, m.PowerOff), "could not power off the virtual machine")
}

func (m machine) powerOn(ctx context.Context) error {
	return unlessSo(finish(ctx, m.PowerOn), "could not power on the virtual machine")
}

// finish begins a task, and waits until it has ended.
func finish(ctx context.Context, begin func(context.Context) (*object.Task, error)) error {
	ctx, cancel := context.WithTimeout(ctx, powerTimeout)
	defer cancel()
	task, err := begin(ctx)
	if err != nil {
		return err
	}
	return task.WaitEx(ctx)
}

// unlessSo says what could not be done; nothing if the machine was so already.
func unlessSo(err error, problem string) error {
	if err == nil || fault.Is(err, &types.InvalidPowerState{}) {
		return nil
	}
	return fmt.Errorf("%s: %w", problem, err)
}
