// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/mustgather/redact"
)

// list says which objects to read, and what of them to keep.
type list struct {
	resource  schema.GroupVersionResource
	namespace string
	// fieldSelector and labelSelector limit what is asked for.
	fieldSelector, labelSelector string
	// folder is where the objects go, each into a file of its own.
	folder string
	// together puts the objects of each page into one file.
	together string
	fields   redact.Fields
	// see is shown each object before anything of it is left out, and says whether it is kept; nil keeps all.
	see func(*unstructured.Unstructured) bool
}

// read lists the objects into the archive, and writes into the chapter what could not be read. It reports
// whether to go on with others of the kind: nobody waits twice for a server that does not answer.
func (g *gatherer) read(ctx context.Context, c *chapter, l list) bool {
	options := metav1.ListOptions{Limit: pageSize, FieldSelector: l.fieldSelector, LabelSelector: l.labelSelector}
	for number := range maxPages {
		var page *unstructured.UnstructuredList
		err := g.ask(ctx, func(ctx context.Context) (err error) {
			page, err = g.dynamic.Resource(l.resource).Namespace(l.namespace).List(ctx, options)
			return err
		})
		if err == nil {
			err = g.keep(c, l, number, page.Items)
		}
		if err != nil {
			c.failed(l.name(options), err)
			return !errors.Is(err, errNoAnswer)
		}
		if options.Continue = page.GetContinue(); options.Continue == "" || g.archive.err != nil {
			return true
		}
	}
	c.missing = append(c.missing, fmt.Sprintf("%s: more than %d of them", l.name(options), maxPages*pageSize))
	return true
}

// name says what is listed, for a message.
func (l list) name(options metav1.ListOptions) string {
	name := l.resource.GroupResource().String()
	if l.namespace != "" {
		name += " in " + l.namespace
	}
	if l.fieldSelector != "" {
		name += " with " + l.fieldSelector
	}
	if options.Continue != "" {
		name += ", all but the first"
	}
	return name
}

// keep writes what stays of the objects of a page.
func (g *gatherer) keep(c *chapter, l list, number int, objects []unstructured.Unstructured) error {
	var page []map[string]any
	for i := range objects {
		object := &objects[i]
		if l.see != nil && !l.see(object) {
			continue
		}
		kept := redact.Object(object.Object, l.fields)
		if l.together != "" {
			page = append(page, kept)
			continue
		}
		c.files++
		if err := g.archive.addYAML(fileName(l.folder, object), kept); err != nil {
			return err
		}
	}
	if len(page) == 0 {
		return nil
	}
	c.files++
	return g.archive.addYAML(fmt.Sprintf("%s-%d.yaml", l.together, number+1), page...)
}

func fileName(folder string, object *unstructured.Unstructured) string {
	name := folder
	if object.GetNamespace() != "" {
		name += object.GetNamespace() + "/"
	}
	return name + object.GetName() + ".yaml"
}

// as converts an object to its type, and reports whether it has that form.
func as(object *unstructured.Unstructured, typed any) bool {
	return runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, typed) == nil
}
