// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package migratestore

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store/clusterstore"
)

// pageSize is how many objects a request reads.
const pageSize = 500

// errChanged is the reason why nothing more is written to a store.
var errChanged = errors.New("somebody else has changed it meanwhile")

// etcdPlace is a store in an etcd.
type etcdPlace struct {
	name   string
	empty  string // how to remove what it has
	client *clientv3.Client
	prefix string
	stop   func() // ends an etcd of this process
}

func (p *etcdPlace) String() string { return p.name }

func (p *etcdPlace) cleanup() string { return p.empty }

func (p *etcdPlace) close() {
	_ = p.client.Close() // nothing is pending on it
	p.stop()
}

// read implements source. All of it is of one revision.
func (p *etcdPlace) read(ctx context.Context) (contents, error) {
	c := contents{objects: map[key][]byte{}}
	root := store.Root(p.prefix)
	from, options := root, []clientv3.OpOption{clientv3.WithRange(clientv3.GetPrefixRangeEnd(root)), clientv3.WithLimit(pageSize)}
	for {
		page, err := p.client.Get(ctx, from, options...)
		if err != nil {
			return c, fmt.Errorf("could not read %s: %w", p, err)
		}
		for _, kv := range page.Kvs {
			if err := p.add(&c, kv); err != nil {
				return c, err
			}
		}
		if !page.More {
			return c, nil
		}
		from = string(page.Kvs[len(page.Kvs)-1].Key) + "\x00"
		options = append(options[:2:2], clientv3.WithRev(page.Header.Revision))
	}
}

// add adds what a key has. A key that is not known is an error: it would not be copied.
func (p *etcdPlace) add(c *contents, kv *mvccpb.KeyValue) error {
	switch found := string(kv.Key); found {
	case store.IDKey(p.prefix):
		c.id = string(kv.Value)
	case store.CopyOfKey(p.prefix):
		c.copyOf = string(kv.Value)
	default:
		k, ok := p.parse(found)
		if !ok {
			return fmt.Errorf("%s has the key %q, which this version of migrate-store does not know", p, found)
		}
		c.objects[k] = kv.Value
	}
	return nil
}

func (p *etcdPlace) parse(found string) (key, bool) {
	for _, resource := range clusterstore.Resources() {
		k := key{resource: resource}
		var ok bool
		if k.name, ok = strings.CutPrefix(found, p.keyOf(k)+"/"); ok && k.name != "" && !strings.Contains(k.name, "/") {
			return k, true
		}
	}
	return key{}, false
}

func (p *etcdPlace) keyOf(k key) string {
	return path.Join(store.Root(p.prefix), k.resource.Group, k.resource.Resource, k.name)
}

// begin implements target. Nothing may be there.
func (p *etcdPlace) begin(ctx context.Context, id string) error {
	return p.commit(ctx, clientv3.Compare(clientv3.CreateRevision(store.Root(p.prefix)), "=", 0).WithPrefix(),
		clientv3.OpPut(store.CopyOfKey(p.prefix), id))
}

func (p *etcdPlace) write(ctx context.Context, k key, data []byte) error {
	return p.commit(ctx, p.unfinished(), clientv3.OpPut(p.keyOf(k), string(data)))
}

func (p *etcdPlace) remove(ctx context.Context, k key) error {
	return p.commit(ctx, p.unfinished(), clientv3.OpDelete(p.keyOf(k)))
}

func (p *etcdPlace) finish(ctx context.Context, id string) error {
	return p.commit(ctx, p.unfinished(), clientv3.OpPut(store.IDKey(p.prefix), id), clientv3.OpDelete(store.CopyOfKey(p.prefix)))
}

// unfinished says that the mark is there.
func (p *etcdPlace) unfinished() clientv3.Cmp {
	return clientv3.Compare(clientv3.CreateRevision(store.CopyOfKey(p.prefix)), ">", 0)
}

// commit writes, if the store is as it must be.
func (p *etcdPlace) commit(ctx context.Context, must clientv3.Cmp, writes ...clientv3.Op) error {
	response, err := p.client.Txn(ctx).If(must).Then(writes...).Commit()
	if err == nil && !response.Succeeded {
		err = errChanged
	}
	if err != nil {
		return fmt.Errorf("could not write to %s: %w", p, err)
	}
	return nil
}
