// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package vsphere

import (
	"context"
	"fmt"
	"slices"

	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// state is a value of MaintenanceLabel.
type state string

const (
	stateIn    state = "true"
	stateOut   state = "false"
	stateAlarm state = "alarm"
)

// host is what is known of a host.
type host struct {
	version string
	state   state
}

// enterMaintenance is the task that lasts until the last machine has left the host or is off: only then the host itself
// says that it is in maintenance.
const enterMaintenance = "EnterMaintenanceMode_Task"

// hostsOf returns the hosts of a vCenter by name. Several may have the same name.
func hostsOf(ctx context.Context, client *vim25.Client, alarms []string) (map[string][]host, error) {
	var read []mo.HostSystem
	properties := []string{"name", "summary.config.product", "runtime.inMaintenanceMode", "recentTask", "triggeredAlarmState"}
	if err := readAll(ctx, client, "HostSystem", properties, &read); err != nil {
		return nil, err
	}
	entering, err := enteringTasks(ctx, client, read)
	if err != nil {
		return nil, err
	}
	alarming, err := alarmsNamed(ctx, client, read, alarms)
	if err != nil {
		return nil, err
	}
	hosts := map[string][]host{}
	for i := range read {
		hosts[read[i].Name] = append(hosts[read[i].Name], host{versionOf(&read[i]), stateOf(&read[i], entering, alarming)})
	}
	return hosts, nil
}

func versionOf(h *mo.HostSystem) string {
	if h.Summary.Config.Product == nil {
		return ""
	}
	return h.Summary.Config.Product.Version
}

// stateOf says whether a host is in maintenance, or enters it, or is to be treated so because of an alarm.
func stateOf(h *mo.HostSystem, entering, alarming references) state {
	if slices.ContainsFunc(h.TriggeredAlarmState, func(a types.AlarmState) bool { return alarming[a.Alarm] }) {
		return stateAlarm
	}
	enters := slices.ContainsFunc(h.RecentTask, func(task types.ManagedObjectReference) bool { return entering[task] })
	if enters || h.Runtime.InMaintenanceMode {
		return stateIn
	}
	return stateOut
}

// references is a set of objects of a vCenter.
type references map[types.ManagedObjectReference]bool

// enteringTasks returns the tasks, of all that hosts name, that run and bring a host into maintenance. Those that have
// ended are named for a while, too.
func enteringTasks(ctx context.Context, client *vim25.Client, hosts []mo.HostSystem) (references, error) {
	named := references{}
	for i := range hosts {
		for _, task := range hosts[i].RecentTask {
			named[task] = true
		}
	}
	var tasks []mo.Task
	if err := retrieve(ctx, client, named, &tasks); err != nil {
		return nil, fmt.Errorf("could not read the tasks of hosts: %w", err)
	}
	entering := references{}
	for i := range tasks {
		if tasks[i].Info.Name == enterMaintenance && tasks[i].Info.State == types.TaskInfoStateRunning {
			entering[tasks[i].Self] = true
		}
	}
	return entering, nil
}

// alarmsNamed returns those of the triggered alarms that have one of the names.
func alarmsNamed(ctx context.Context, client *vim25.Client, hosts []mo.HostSystem, names []string) (references, error) {
	triggered := references{}
	for i := range hosts {
		for _, alarm := range hosts[i].TriggeredAlarmState {
			triggered[alarm.Alarm] = true
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	var alarms []mo.Alarm
	if err := retrieve(ctx, client, triggered, &alarms); err != nil {
		return nil, fmt.Errorf("could not read the alarms of hosts: %w", err)
	}
	named := references{}
	for i := range alarms {
		named[alarms[i].Self] = slices.Contains(names, alarms[i].Info.Name)
	}
	return named, nil
}

// retrieve reads the property info of objects. There may be none.
func retrieve(ctx context.Context, client *vim25.Client, objects references, into any) error {
	var list []types.ManagedObjectReference
	for object := range objects {
		list = append(list, object)
	}
	if len(list) == 0 {
		return nil
	}
	return property.DefaultCollector(client).Retrieve(ctx, list, []string{"info"}, into)
}
