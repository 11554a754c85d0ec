// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/cache"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	clientcache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
)

// allowance is how many bytes may be written at once, and in each second after that.
type allowance struct{ burst, perSecond int }

var (
	// ofUser is for each user: 4,000 holds of 2 KiB at once, and 128 a second after that. The store throws old versions
	// away faster.
	ofUser = allowance{burst: 8 << 20, perSecond: 256 << 10}
	// ofAll is for all users together, since somebody may have many users, as who can create ServiceAccounts. Eight
	// users may write as much as each may.
	ofAll = allowance{burst: 8 * ofUser.burst, perSecond: 8 * ofUser.perSecond}
)

const (
	// leastBilled is what a smaller write is billed as: the request, the revision and its events cost more than its bytes.
	leastBilled = 1 << 10
	// bucketLife is how long a bucket is kept that nobody takes from. It is full again before.
	bucketLife = time.Minute
	// maxBuckets bounds the memory for users who have just written. One whose bucket is forgotten early gets a full one.
	maxBuckets = 1 << 14
)

// Bill has users pay for what they write: each for itself, and all together. All resources of a server share one. The
// library's fair queueing does not do that: it counts requests. Deletes, dry runs and the server's own writes are free.
type Bill struct {
	clock clock.PassiveClock
	mu    sync.Mutex
	all   *rate.Limiter
	users *cache.LRUExpireCache // of *rate.Limiter, by user
}

// NewBill returns a bill on which nobody has written anything yet.
func NewBill(clock clock.PassiveClock) *Bill {
	return &Bill{clock: clock, all: ofAll.bucket(), users: cache.NewLRUExpireCacheWithClock(maxBuckets, clock)}
}

func (a allowance) bucket() *rate.Limiter { return rate.NewLimiter(rate.Limit(a.perSecond), a.burst) }

// String says what may be written.
func (a allowance) String() string {
	return fmt.Sprintf("%d MiB at once, and %d KiB per second after that", a.burst>>20, a.perSecond>>10)
}

// Take takes the bytes of a write from what the user, and all users, may write. If there are too few, it takes none, and
// returns after which time there will be enough. byAll says that all users together have written too many.
func (b *Bill) Take(user string, bytes int) (wait time.Duration, byAll bool) {
	b.mu.Lock() // so that nobody finds a bucket empty because of a reservation that is canceled
	defer b.mu.Unlock()
	now := b.clock.Now()
	own := b.bucket(user).ReserveN(now, min(bytes, ofUser.burst))
	if wait = own.DelayFrom(now); wait > 0 {
		own.CancelAt(now)
		return wait, false
	}
	others := b.all.ReserveN(now, min(bytes, ofUser.burst))
	if wait = others.DelayFrom(now); wait > 0 {
		others.CancelAt(now)
		own.CancelAt(now)
	}
	return wait, wait > 0
}

// bucket is called with the lock held.
func (b *Bill) bucket(user string) *rate.Limiter {
	known, found := b.users.Get(user)
	if !found {
		known = ofUser.bucket()
	}
	b.users.Add(user, known, bucketLife)
	return known.(*rate.Limiter)
}

// wrappedOptions puts something around each store when it is made. From then on, the library's own goroutines use the store.
type wrappedOptions struct {
	generic.RESTOptionsGetter
	// prepare changes what the store is made from, which is a copy. Optional.
	prepare func(*storagebackend.ConfigForResource)
	// wrap returns what is put around the store of a resource.
	wrap func(storage.Interface, schema.GroupResource, *storagebackend.ConfigForResource) storage.Interface
}

// GetRESTOptions implements generic.RESTOptionsGetter.
func (o *wrappedOptions) GetRESTOptions(resource schema.GroupResource, example runtime.Object) (generic.RESTOptions, error) {
	options, err := o.RESTOptionsGetter.GetRESTOptions(resource, example)
	decorate := options.Decorator
	options.Decorator = func(config *storagebackend.ConfigForResource, prefix string, keyOf func(runtime.Object) (string, error),
		newObject, newList func() runtime.Object, attributes storage.AttrFunc, trigger storage.IndexerFuncs, indexers *clientcache.Indexers,
	) (storage.Interface, factory.DestroyFunc, error) {
		own := *config
		if o.prepare != nil {
			o.prepare(&own)
		}
		store, destroy, err := decorate(&own, prefix, keyOf, newObject, newList, attributes, trigger, indexers)
		return o.wrap(store, resource, &own), destroy, err
	}
	return options, err
}

// billStores puts a bill around each store.
func billStores(getter generic.RESTOptionsGetter, bill *Bill) generic.RESTOptionsGetter {
	return &wrappedOptions{
		RESTOptionsGetter: getter,
		wrap: func(store storage.Interface, resource schema.GroupResource, config *storagebackend.ConfigForResource) storage.Interface {
			return &billed{Interface: store, bill: bill, resource: resource, codec: config.Codec}
		},
	}
}

// billed is a store of one resource whose users pay for what they write, after all other checks. Each way to write ends
// here but a dry run. A delete is free: the library changes the object in place, if it stores it at all.
type billed struct {
	storage.Interface
	bill     *Bill
	resource schema.GroupResource
	codec    runtime.Encoder
}

// Create implements storage.Interface.
func (s *billed) Create(ctx context.Context, key string, obj, out runtime.Object, ttl uint64) error {
	if err := s.payment(ctx)(obj); err != nil {
		return err
	}
	return s.Interface.Create(ctx, key, obj, out, ttl)
}

// GuaranteedUpdate implements storage.Interface. What has not changed is not written.
func (s *billed) GuaranteedUpdate(ctx context.Context, key string, destination runtime.Object, ignoreNotFound bool,
	preconditions *storage.Preconditions, tryUpdate storage.UpdateFunc, cached runtime.Object,
) error {
	pay := s.payment(ctx)
	paid := func(old runtime.Object, response storage.ResponseMeta) (runtime.Object, *uint64, error) {
		obj, ttl, err := tryUpdate(old, response)
		if err != nil || apiequality.Semantic.DeepEqual(obj, old) {
			return obj, ttl, err
		}
		return obj, ttl, pay(obj)
	}
	return s.Interface.GuaranteedUpdate(ctx, key, destination, ignoreNotFound, preconditions, paid, cached)
}

// payment returns what has the user of a request pay for an object that it writes. If the write is tried again, since the
// object has changed meanwhile, it is paid once.
func (s *billed) payment(ctx context.Context) func(runtime.Object) error {
	if caller.IsServer(ctx) {
		return func(runtime.Object) error { return nil }
	}
	user, paid := "", 0
	if requester, known := genericapirequest.UserFrom(ctx); known {
		user = requester.GetName()
	}
	return func(obj runtime.Object) error {
		encoded, err := runtime.Encode(s.codec, obj)
		if err != nil {
			return err // the store would refuse it with the same words
		}
		size := max(len(encoded), leastBilled)
		if size <= paid {
			return nil
		}
		if wait, byAll := s.bill.Take(user, size-paid); wait > 0 {
			return s.tooMuch(user, obj, size, wait, byAll)
		}
		paid = size
		return nil
	}
}

// tooMuch is the error for a user who has to wait. Clients wait as long as it says, and try again.
func (s *billed) tooMuch(user string, obj runtime.Object, bytes int, wait time.Duration, byAll bool) error {
	name, seconds := "", int(math.Ceil(wait.Seconds()))
	if object, err := meta.Accessor(obj); err == nil {
		name = object.GetName()
	}
	why := fmt.Sprintf("user %q has written too many: each user may write %s", user, ofUser)
	if byAll {
		why = fmt.Sprintf("all users together have written too many: they may write %s", ofAll)
	}
	refusal := apierrors.NewTooManyRequests(fmt.Sprintf("%s %q was not written: it counts as %d bytes, and %s; try again in %d seconds",
		s.resource, name, bytes, why, seconds), seconds)
	refusal.ErrStatus.Details = &metav1.StatusDetails{
		Group: s.resource.Group, Kind: s.resource.Resource, Name: name, RetryAfterSeconds: int32(seconds),
	}
	return refusal
}
