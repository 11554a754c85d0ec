// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// soaking has w-1 given back a moment ago, and w-2 wait for it.
func soaking() *fleet {
	f := newFleet("aa")
	spec := f.policy("all")
	spec.Limits.MaxConcurrent = limit("1")
	spec.Pace = &v1beta1.PolicyPace{SoakSeconds: 600}
	spec.AutoStop = &v1beta1.PolicyAutoStop{Failures: 1}
	f.holds("w-1", "w-2")
	f.decide()
	f.end("w-1")
	f.decide()
	return f
}

func TestSoak(t *testing.T) {
	for name, test := range map[string]struct {
		do           func(*fleet)
		want         []string
		wantFailures []string
	}{
		"not over":  {func(f *fleet) { f.pass(599 * time.Second) }, []string{"w-1"}, nil},
		"over":      {func(f *fleet) { f.pass(600 * time.Second) }, []string{"w-2"}, nil},
		"not Ready": {func(f *fleet) { f.ready("w-1", false); f.pass(299 * time.Second) }, []string{"w-1"}, nil},
		"not Ready for long": {
			func(f *fleet) { f.ready("w-1", false); f.pass(300 * time.Second) }, []string{"w-1"}, []string{"w-1 NotReady"},
		},
		"only Ready time counts": {
			func(f *fleet) {
				f.pass(500 * time.Second)
				f.ready("w-1", false)
				f.pass(100 * time.Second)
				f.ready("w-1", true)
				f.pass(599 * time.Second)
			}, []string{"w-1"}, nil,
		},
		"Ready again for all of it": {
			func(f *fleet) {
				f.ready("w-1", false)
				f.pass(100 * time.Second)
				f.ready("w-1", true)
				f.pass(600 * time.Second)
			}, []string{"w-2"}, nil,
		},
		"node deleted": {func(f *fleet) { f.drop("w-1") }, []string{"w-2"}, nil},
		"shortened":    {func(f *fleet) { f.Policies[0].Spec.Pace.SoakSeconds = 0 }, []string{"w-2"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := soaking()
			test.do(f)
			o := f.decide()
			wantEqual(t, "entered", entered(o), test.want)
			wantEqual(t, "failures", failuresOf(o), test.wantFailures)
		})
	}
}

func TestSoakInStatusAndForecast(t *testing.T) {
	f := soaking()
	o := f.decide()
	if status := o.Policies["all"].Status; status.InMaintenance != 1 || status.Soaking != 1 || status.Unavailable != 0 {
		t.Errorf("got %+v, want one that soaks and is available", status)
	}
	if got, want := o.Holds["h-w-2"].Earliest, start.Add(600*time.Second); !got.Equal(want) || !o.Again.Equal(want) {
		t.Errorf("earliest %s, again %s, want %s", got, o.Again, want)
	}
}

// A node that starts again while it soaks counts once, is a start for the pace, and is unavailable again.
func TestSoakingNodeStartsAgain(t *testing.T) {
	f := soaking()
	f.Holds = nil
	delete(f.Released, "w-1")
	f.hold("again", "w-1")
	o := f.decide()
	if e := o.Ledger.Entries[0]; e.GivenBackTime != nil || len(e.Holds) != 1 {
		t.Errorf("got %+v, want that it is in maintenance", e)
	}
	if status := o.Policies["all"].Status; status.InMaintenance != 1 || status.Soaking != 0 || status.Unavailable != 1 {
		t.Errorf("got %+v", status)
	}
}
