// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import (
	"math"
	"testing"
)

func TestRoom(t *testing.T) {
	type amounts struct{ nodeProfiles, profileBytes, objectBytes int }
	for name, test := range map[string]struct {
		memory int64
		want   amounts
	}{
		"nine tenths of 1 GiB, as in the chart": {921 << 20, amounts{nodeProfiles: 5688, profileBytes: 1164902, objectBytes: 1456128}},
		"no limit":                              {math.MaxInt64, amounts{nodeProfiles: 31088, profileBytes: 6366822, objectBytes: 7958528}},
		"less than an empty server needs":       {100 << 20, amounts{1, 1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			room := NewRoom(test.memory)
			got := amounts{room.NodeProfiles(), room.ProfileBytes(), room.ObjectBytes()}
			if got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
	if needed := ForNodeProfiles(25_000); needed.NodeProfiles() != 25_000 || (needed-1).NodeProfiles() >= 25_000 {
		t.Errorf("25,000 NodeProfiles are to need %d bytes, in which there is room for %d", needed, needed.NodeProfiles())
	}
	if none := Room(0); none.NodeProfiles() != 0 {
		t.Error("without a limit of memory, NodeProfiles have one")
	}
}
