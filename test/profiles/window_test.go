// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// windowed has a window of an hour, which ends at END in the zone ZONE.
const windowed = `
checks:
- {name: needed, nodeLabel: {key: needed}}
- {name: allowed, nodeLabel: {key: allowed}}
- {name: window, timeWindow: {start: "START", end: "END", timeZone: ZONE}}
states:
  operational:
    transitions: [{name: required, check: needed, next: MaintenanceRequired}]
  maintenanceRequired:
    transitions: [{name: start, check: allowed && window, next: InMaintenance}]
  inMaintenance:
    hold: {stage: Cordon}
    transitions: [{name: done, check: "!needed", next: Operational}]
`

// stillOpen is how long a window is open at the beginning: the server must have said meanwhile that it is, on a loaded
// machine, too.
const stillOpen = time.Minute

// The window is open when the server is killed, and what else was missing comes then. When the server runs again, the
// window is closed, so the node waits: what was found before does not count.
func (o *own) windowClosesMeanwhile(t *testing.T) {
	p := o.newPool(t, 1)
	node := p.Nodes[0]
	closes := time.Now().Add(stillOpen).Truncate(time.Second)
	profile := p.profile(t, "windowed", o.windowUntil(t, closes))
	p.label(t, node, "needed=yes")
	p.waits(t, profile, node, v1beta1.ProfileMaintenanceRequired, "allowed: ")
	o.kill(t)
	if !time.Now().Before(closes) {
		t.Fatalf("the window was to be open when the server was killed, but it has closed: it took more than %s", stillOpen)
	}
	p.label(t, node, "allowed=yes")
	time.Sleep(time.Until(closes))
	o.launch(t)
	p.waits(t, profile, node, v1beta1.ProfileMaintenanceRequired, "window: the window opens ")
	if found := p.is(t, profile, node, v1beta1.ProfileMaintenanceRequired); len(found.Status.History) != 1 {
		t.Errorf("the history is %+v, want one transition", found.Status.History)
	}
}

// windowUntil is the profile with a window until a moment. Windows end at full minutes, so it is in a time zone in which
// that moment is one.
func (o *own) windowUntil(t *testing.T, closes time.Time) string {
	t.Helper()
	const zone = "Test/Soon"
	ahead := time.Duration((60-closes.Unix()%60)%60) * time.Second
	o.addZone(t, zone, closes, ahead, ahead)
	end := closes.UTC().Add(ahead)
	return strings.NewReplacer(
		"START", end.Add(-time.Hour).Format("15:04"), "END", end.Format("15:04"), "ZONE", zone,
	).Replace(windowed)
}

// The clock goes forward from 02:00 to 03:00. A window that would open at 02:30 opens at that moment, and not half an hour
// later.
func (o *own) clockGoesForward(t *testing.T) {
	t.Parallel()
	p := o.newPool(t, 1)
	changes := time.Now().Add(stillOpen).Truncate(time.Second)
	ahead := 26*time.Hour - time.Duration(changes.Unix()%(24*60*60))*time.Second
	o.addZone(t, "Test/Summer", changes, ahead, ahead+time.Hour)
	profile := p.profile(t, "windowed", strings.NewReplacer("START", "02:30", "END", "03:30", "ZONE", "Test/Summer").Replace(windowed))
	p.label(t, p.Nodes[0], "needed=yes", "allowed=yes")
	p.waits(t, profile, p.Nodes[0], v1beta1.ProfileMaintenanceRequired, "03:00 TST")
	in := p.is(t, profile, p.Nodes[0], v1beta1.ProfileInMaintenance)
	if since := in.Status.Since.Time; since.Before(changes) {
		t.Errorf("it is in maintenance since %s, before the clock went forward at %s", since, changes)
	}
}

// addZone writes a time zone, as RFC 9636 says, whose clock is that much ahead of UTC before a change and after it: less
// than two days.
func (o *own) addZone(t *testing.T, name string, change time.Time, before, after time.Duration) {
	t.Helper()
	number := binary.BigEndian.AppendUint32
	content := append([]byte("TZif"), make([]byte, 16)...) // version 1
	for _, count := range []uint32{0, 0, 0, 1, 2, 4} {     // one change, two types of local time, four bytes of names
		content = number(content, count)
	}
	content = append(number(content, uint32(change.Unix())), 1)
	for _, ahead := range []time.Duration{before, after} {
		content = append(number(content, uint32(ahead/time.Second)), 0, 0)
	}
	content = append(content, "TST\x00"...)
	path := filepath.Join(o.zones, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// overMidnight has windows from 22:00 until 04:00 in zones where it is 23:00, 01:00 or noon now, and that of yesterday
// left out. Times of day and dates of a check are those of its zone.
const overMidnight = `
checks:
- {name: late, timeWindow: {start: "22:00", end: "04:00", timeZone: LATE}}
- {name: early, timeWindow: {start: "22:00", end: "04:00", timeZone: EARLY}}
- {name: noon, timeWindow: {start: "22:00", end: "04:00", timeZone: NOON}}
- {name: today, timeWindow: {start: "22:00", end: "04:00", timeZone: EARLY, excludeDates: [TODAY]}}
- {name: yesterday, timeWindow: {start: "22:00", end: "04:00", timeZone: EARLY, excludeDates: [YESTERDAY]}}
states:
  operational:
    transitions: [{name: required, check: late && early && !noon && today && !yesterday, next: MaintenanceRequired}]
  maintenanceRequired:
    transitions: [{name: back, check: noon, next: Operational}]
`

// A window over midnight belongs to the day on which it begins.
func TestWindowOverMidnight(t *testing.T) {
	p := newPool(t, 1)
	zone, early := zoneAt(t, 1)
	late, _ := zoneAt(t, 22)
	noon, _ := zoneAt(t, 12)
	profile := p.profile(t, "midnight", strings.NewReplacer(
		"LATE", late, "EARLY", zone, "NOON", noon,
		"YESTERDAY", early.AddDate(0, 0, -1).Format(time.DateOnly), "TODAY", early.Format(time.DateOnly),
	).Replace(overMidnight))
	p.is(t, profile, p.Nodes[0], v1beta1.ProfileMaintenanceRequired)
}

// zoneAt is a zone where it is that hour now, and what the clock shows there.
func zoneAt(t *testing.T, hour int) (name string, now time.Time) {
	t.Helper()
	ahead := (hour-time.Now().UTC().Hour()+36)%24 - 12
	name = fmt.Sprintf("Etc/GMT%+d", -ahead) // these zones have the sign of the way back to UTC
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return name, time.Now().In(zone)
}
