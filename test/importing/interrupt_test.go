// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importing

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/importer"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// imports says what keeps an import from succeeding.
func (o *operator) imports(options importer.Options) func(context.Context) string {
	return func(ctx context.Context) string {
		if out, err := runImport(ctx, o.Cluster.Config(), options); err != nil {
			return err.Error() + "\n" + out
		}
		return ""
	}
}

// updateRefused says that a webhook lets objects be changed.
func (o *operator) updateRefused(ctx context.Context) string {
	list, err := o.objects.List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) == 0 {
		return fmt.Sprintf("no object to change (%v)", err)
	}
	_, err = o.objects.Patch(ctx, list.Items[0].GetName(), types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
	if err == nil || !strings.Contains(err.Error(), "webhook") {
		return fmt.Sprintf("the answer is %v", err)
	}
	return ""
}

func wantSame(t *testing.T, o *operator, node string, want essence) {
	t.Helper()
	env.Eventually(t, "node "+node+" is as it was", func(context.Context) string {
		return cmp.Diff(want, o.essence(t, node), cmpopts.EquateEmpty())
	})
}

// killed is the configuration of an import that is killed when its n-th write has been carried out, so that it
// never sees the answer. reached says whether it came so far.
func killed(config *rest.Config, n int32) (cut *rest.Config, reached func() bool) {
	var writes atomic.Int32
	return through(config, func(next http.RoundTripper, request *http.Request) (*http.Response, error) {
		if isWrite(request) {
			writes.Add(1)
		}
		if writes.Load() < n {
			return next.RoundTrip(request)
		}
		if writes.Load() == n && isWrite(request) {
			if response, err := next.RoundTrip(request); err == nil {
				_ = response.Body.Close() // nobody reads the answer
			}
			writes.Add(1)
		}
		return nil, errors.New("killed")
	}), func() bool { return writes.Load() >= n }
}

// An import may be killed after each of its writes. Run again, it ends as if nothing had happened.
func TestInterruptedImport(t *testing.T) {
	t.Parallel()
	o := newOperator(t, 2, "kubevirt.io", "v1alpha1", "kubevirt.io/drain")
	before := [2]essence{o.essence(t, o.Nodes[0]), o.essence(t, o.Nodes[1])}
	for n := int32(1); ; n++ {
		stays, goes := fmt.Sprintf("%s-stays-%d", o.Name, n), fmt.Sprintf("%s-goes-%d", o.Name, n)
		for i, name := range []string{stays, goes} {
			o.takeOut(t, o.Nodes[i])
			o.maintain(t, name, o.Nodes[i], map[string]any{"phase": "Succeeded", "totalpods": int64(1)})
		}
		out := o.essence(t, o.Nodes[0])
		if err := o.objects.Delete(t.Context(), goes, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		config, reached := killed(o.Cluster.Config(), n)
		options := importer.Options{Groups: []string{o.group}, Confirm: true}
		text, err := runImport(t.Context(), config, options)
		if reached() && err == nil {
			t.Errorf("killed after write %d, the import said that it had succeeded:\n%s", n, text)
		}
		again := confirmed(t, o.Env, o.group)
		o.wantGone(t, goes)
		o.wantLetGo(t, stays)
		o.WaitForHold(t, stays, "drained as before", env.Drained)
		if got := o.essence(t, o.Nodes[0]); !cmp.Equal(out.Unschedulable, got.Unschedulable) || got.Excluded != out.Excluded {
			t.Errorf("killed after write %d: node %+v, want %+v\n%s", n, got, out, again)
		}
		wantSame(t, o, o.Nodes[1], before[1])
		o.Delete(t, stays)
		wantSame(t, o, o.Nodes[0], before[0])
		o.removeObjects(t)
		if !reached() {
			return
		}
	}
}
