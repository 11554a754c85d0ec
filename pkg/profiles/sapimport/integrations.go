// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import "fmt"

// integrations reports the files of the integrations: they have keys that profiles do not need.
func (t *translation) integrations() error {
	if t.options.ESX.Name != "" {
		top, err := t.open(t.options.ESX)
		if err != nil {
			return err
		}
		t.esx(top)
	}
	if t.options.Kubernikus.Name != "" {
		top, err := t.open(t.options.Kubernikus)
		if err != nil {
			return err
		}
		t.kubernikus(top)
	}
	return nil
}

const (
	ownDrain       = "a hold drains the node, which knows the progress, and gives up no pod"
	needsOpenStack = "not a profile, but an integration of the server sets cloud.sap/kubelet-needs-update and deletes servers: " +
		"set the chart's values integrations.kubernikus.enabled and cloudConfigSecret"
)

// esx reports esx.yaml. What looks at hosts and turns machines off and on is an integration's.
func (t *translation) esx(top *block) {
	if intervals := top.inner("intervals"); intervals != nil {
		top.say("intervals", Changed, "")
		intervals.tell("check", fate{"period", Changed, ofVSphere("interval")},
			fate{"jitter", Dropped, "10% is added to the interval by chance"})
		intervals.tell("vmShutdown", fate{"timeout", Changed, ofVSphere("shutdownTimeout")},
			fate{"period", Dropped, "it is looked every 10 seconds at most whether a machine is off"})
		intervals.ownDrain()
		intervals.done()
	}
	top.without("alarms", Changed, ofVSphere("alarms"))
	t.vCenters(top)
	top.done()
}

func (t *translation) vCenters(top *block) {
	vCenters := top.inner("vCenters")
	if vCenters == nil {
		return
	}
	top.say("vCenters", Changed, "")
	vCenters.without("templateUrl", Changed, ofVSphere("url"))
	vCenters.without("insecure", Changed, ofVSphere("caSecret")+", or --vsphere-insecure-skip-tls-verify in extraArgs")
	if zones := vCenters.inner("credentials"); zones != nil {
		vCenters.say("credentials", Changed, ofVSphere("credentialsSecret"))
		for _, zone := range zones.fields {
			zones.tell(zone.name, fate{"username", Changed, inSecret(zone.name, "username")},
				fate{"password", Changed, inSecret(zone.name, "password")})
		}
	}
	vCenters.done()
}

func inSecret(zone, key string) string {
	return fmt.Sprintf("is the key %s.%s of that Secret", zone, key)
}

// ofVSphere says where a setting of the integration with vSphere is.
func ofVSphere(value string) string {
	return "not a profile, but an integration of the server has it: set the chart's values integrations.vsphere.enabled and " + value
}

// kubernikus reports kubernikus.yaml.
func (t *translation) kubernikus(top *block) {
	t.result.Report.say(top.at.under("intervals", top.at.Line), Changed, needsOpenStack)
	if intervals := top.inner("intervals"); intervals != nil {
		intervals.without("requeue", Changed, "not a profile, but an integration of the server has it: set the chart's value "+
			"integrations.kubernikus.interval to the time between two looks at all nodes, 30s by default")
		intervals.ownDrain()
		intervals.done()
	}
	top.done()
}

// ownDrain reports the intervals of a drain.
func (b *block) ownDrain() {
	for _, key := range []string{"podDeletion", "podEviction"} {
		b.tell(key, fate{"period", Dropped, ownDrain}, fate{"timeout", Dropped, ownDrain}, fate{"force", Dropped, ownDrain})
	}
}
