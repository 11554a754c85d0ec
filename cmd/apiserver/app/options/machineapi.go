// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"fmt"

	"github.com/spf13/pflag"
)

// What --machine-api can be.
const (
	machineAPIAuto = "auto"
	machineAPINone = "none"
)

// MachineAPIOptions are which machine APIs scheduled events use.
type MachineAPIOptions struct {
	// Use is auto or none.
	Use string
}

func newMachineAPIOptions() *MachineAPIOptions { return &MachineAPIOptions{Use: machineAPIAuto} }

func (o *MachineAPIOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Use, "machine-api", o.Use,
		"How machines are replaced that scheduled events stop. auto: through OpenShift's Machine API or Cluster API, if the cluster "+
			"serves one; it is asked only while an event has a machine replaced, and the server needs the right to change machines and "+
			"what owns them. none: never, and nodes are only drained.")
}

func (o *MachineAPIOptions) validate() []error {
	if o.Use == machineAPIAuto || o.Use == machineAPINone {
		return nil
	}
	return []error{fmt.Errorf("--machine-api must be %s or %s, not %q", machineAPIAuto, machineAPINone, o.Use)}
}

// Enabled says whether machines may be asked for and changed.
func (o *MachineAPIOptions) Enabled() bool { return o.Use == machineAPIAuto }
