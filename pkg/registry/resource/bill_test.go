// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import (
	"fmt"
	"sync"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

func TestBill(t *testing.T) {
	type write struct {
		after time.Duration
		user  string
		bytes int
		want  time.Duration // to wait; 0: it is taken
	}
	const small, large = 2 << 10, 64 << 10
	tests := map[string][]write{
		"an automation creates its holds at once":   {{user: "a", bytes: 3000 * small}},
		"after that it goes on with 128 per second": {{user: "a", bytes: ofUser.burst}, {after: time.Second, user: "a", bytes: 128 * small}},
		"large ones, too many":                      {{user: "a", bytes: 128 * large}, {user: "a", bytes: large, want: time.Second / 4}},
		"a refusal takes nothing": {
			{user: "a", bytes: 128 * large},
			{user: "a", bytes: large, want: time.Second / 4},
			{after: time.Second / 4, user: "a", bytes: large},
		},
		"others do not pay":        {{user: "a", bytes: ofUser.burst}, {user: "b", bytes: ofUser.burst}},
		"idle users are forgotten": {{user: "a", bytes: ofUser.burst}, {after: bucketLife, user: "a", bytes: ofUser.burst}},
		"more than a bucket holds": {{user: "a", bytes: 2 * ofUser.burst}, {after: 32 * time.Second, user: "a", bytes: 2 * ofUser.burst}},
	}
	for name, writes := range tests {
		t.Run(name, func(t *testing.T) {
			clock := clocktesting.NewFakePassiveClock(time.Now())
			bill := NewBill(clock)
			for i, write := range writes {
				clock.SetTime(clock.Now().Add(write.after))
				if got, _ := bill.Take(write.user, write.bytes); got != write.want {
					t.Errorf("write %d has to wait %s, want %s", i, got, write.want)
				}
			}
		})
	}
}

// Nobody waits because of a write that is refused at the same time.
func TestRefusedWritesTakeNothingMeanwhile(t *testing.T) {
	bill := NewBill(clocktesting.NewFakePassiveClock(time.Now()))
	const small = 20_000
	bill.Take("a", ofUser.burst-small)
	var writing sync.WaitGroup
	for range 4 {
		writing.Go(func() {
			for range small / 4 {
				bill.Take("a", ofUser.burst)
				if wait, _ := bill.Take("a", 1); wait > 0 {
					t.Errorf("a write for which there was enough has to wait %s", wait)
					return
				}
			}
		})
	}
	writing.Wait()
}

// A bucket that is full again is not kept.
func TestIdleWritersAreForgotten(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Now())
	bill := NewBill(clock)
	bill.Take("a", 1)
	clock.SetTime(clock.Now().Add(bucketLife + time.Second))
	if users := bill.users.Keys(); len(users) > 0 {
		t.Errorf("still known: %v", users)
	}
	if refilled := time.Duration(ofUser.burst/ofUser.perSecond) * time.Second; refilled >= bucketLife {
		t.Errorf("a bucket is forgotten after %s, and full only after %s", bucketLife, refilled)
	}
}

// Many users together may write what eight of them may. One who is refused for the others' sake pays nothing.
func TestBillOfAllUsers(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Now())
	bill := NewBill(clock)
	for i := range ofAll.burst / ofUser.burst {
		if wait, _ := bill.Take(fmt.Sprint("user-", i), ofUser.burst); wait > 0 {
			t.Fatalf("user %d waits %s", i, wait)
		}
	}
	if wait, byAll := bill.Take("one-more", ofAll.perSecond); wait != time.Second || !byAll {
		t.Errorf("one more user waits %s, for all users: %t; want a second, for all", wait, byAll)
	}
	if wait, byAll := bill.Take("user-0", ofUser.perSecond); wait != time.Second || byAll {
		t.Errorf("a user who has written too many waits %s, for all users: %t; want a second, for what it wrote itself", wait, byAll)
	}
	clock.SetTime(clock.Now().Add(ofAll.after(ofUser.burst)))
	if wait, _ := bill.Take("one-more", ofUser.burst); wait > 0 {
		t.Errorf("the user who was refused has to wait %s, as if it had written", wait)
	}
}

// after is after which time so many bytes may be written again.
func (a allowance) after(bytes int) time.Duration {
	return time.Duration(bytes) * time.Second / time.Duration(a.perSecond)
}
