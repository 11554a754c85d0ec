// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	grpcstatus "google.golang.org/grpc/status"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apiserver/pkg/storage/value"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/text"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// An object that cannot be read is set aside, so that it keeps nobody from reading the others: in lists and watches, another
// one stands for it, with its name and v1beta1.UnreadableAnnotation. The registry sees to it that that one is never stored.

// maxWhy is how many characters say why an object cannot be read.
const maxWhy = 500

// SettingAside returns a transformer for the stored objects of the kind of the example. What cannot be decrypted, or is not the object that
// its key names, it turns into what Codec reads as an object that is set aside. An error that may go by itself stays one:
// a key service that does not answer would else have every object be set aside, for as long as a watch lasts.
func SettingAside(transformer value.Transformer, example v1beta1.Stored) value.Transformer {
	return settingAside{transformer, kindOf(example)}
}

type settingAside struct {
	value.Transformer
	kind string
}

// TransformFromStorage implements value.Transformer.
func (t settingAside) TransformFromStorage(ctx context.Context, stored []byte, at value.Context) (data []byte, stale bool, err error) {
	data, stale, err = t.Transformer.TransformFromStorage(ctx, stored, at)
	if err != nil && mayPass(ctx, err) {
		return data, stale, err
	}
	name := path.Base(string(at.AuthenticatedData()))
	if err != nil {
		err = fmt.Errorf("it cannot be decrypted: %w", err)
	} else if !isOf(data, t.kind, name) {
		err = fmt.Errorf("what is stored is not the JSON of a %s named %s", t.kind, name)
	}
	if err == nil {
		return data, stale, nil
	}
	data, err = json.Marshal(metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{Kind: t.kind, APIVersion: v1beta1.SchemeGroupVersion.String()},
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{v1beta1.UnreadableAnnotation: err.Error()}},
	})
	return data, false, err
}

// mayPass says whether what cannot be decrypted now may be decrypted later: a service that has the key did not answer.
func mayPass(ctx context.Context, err error) bool {
	if several, ok := err.(utilerrors.Aggregate); ok { //nolint:errorlint // the library wraps it no further
		return slices.ContainsFunc(several.Errors(), func(err error) bool { return mayPass(ctx, err) })
	}
	var remote interface{ GRPCStatus() *grpcstatus.Status }
	return ctx.Err() != nil || errors.As(err, &remote)
}

// isOf says whether the data says that it is the object of the kind and the name. Mostly it begins as this version writes it.
func isOf(data []byte, kind, name string) bool {
	usual := `{"kind":"` + kind + `","apiVersion":"` + v1beta1.SchemeGroupVersion.String() + `","metadata":{"name":"` + name + `"`
	if bytes.HasPrefix(data, []byte(usual)) {
		return true
	}
	saysKind, saysName := headOf(data)
	return saysKind == kind && saysName == name
}

// headOf is which object the data says that it is, as far as it is JSON.
func headOf(data []byte) (kind, name string) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	_ = eachField(decoder, func(field string) (done bool, err error) {
		switch field {
		case "kind":
			err = decoder.Decode(&kind)
		case "metadata":
			err = eachField(decoder, func(field string) (bool, error) {
				if field == "name" {
					return true, decoder.Decode(&name)
				}
				return false, skip(decoder)
			})
		default:
			err = skip(decoder)
		}
		return kind != "" && name != "", err
	})
	return kind, name
}

// errNoObject is never shown.
var errNoObject = errors.New("no object")

// eachField calls read with each field of the object that the decoder is before. It must read the field's value. It ends
// with the last field, or when read says that it is done.
func eachField(decoder *json.Decoder, read func(field string) (done bool, err error)) error {
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('{') {
		return errNoObject
	}
	for {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		field, isField := token.(string)
		if !isField {
			return nil
		}
		if done, err := read(field); done || err != nil {
			return err
		}
	}
}

func skip(decoder *json.Decoder) error {
	var skipped json.RawMessage
	return decoder.Decode(&skipped)
}

// setAside returns what stands for the object that cannot be read; nil if the data does not say which one it is. If into is
// not nil, it becomes that.
func setAside(data []byte, why string, into runtime.Object) v1beta1.Stored {
	kind, name := headOf(data)
	if _, isStored := kinds[kind]; !isStored || name == "" {
		return nil
	}
	made, err := scheme.Scheme.New(v1beta1.SchemeGroupVersion.WithKind(kind))
	aside, isStored := made.(v1beta1.Stored)
	if err != nil || !isStored || (into != nil && reflect.TypeOf(into) != reflect.TypeOf(made)) {
		return nil
	}
	runes := []rune(text.Escape(why))
	aside.SetName(name)
	aside.SetAnnotations(map[string]string{v1beta1.UnreadableAnnotation: string(runes[:min(len(runes), maxWhy)])})
	salvage(data, aside)
	if into == nil {
		return aside
	}
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(aside).Elem())
	return into.(v1beta1.Stored)
}

// salvage sets what is known of an object that cannot be read besides its name, as far as it is JSON: which object it is,
// which node and profile it is about, and which nodes a policy selects.
func salvage(data []byte, aside v1beta1.Stored) {
	var known struct {
		Metadata struct {
			UID               types.UID
			CreationTimestamp string
		}
		Spec struct {
			NodeName, Profile string
			NodeSelector      json.RawMessage
		}
	}
	_ = json.Unmarshal(data, &known) // it reads on behind a field of another type
	aside.SetUID(known.Metadata.UID)
	if created, err := time.Parse(time.RFC3339, known.Metadata.CreationTimestamp); err == nil {
		aside.SetCreationTimestamp(metav1.NewTime(created))
	}
	switch object := aside.(type) {
	case *v1beta1.NodeMaintenance:
		object.Spec.NodeName = known.Spec.NodeName
	case *v1beta1.NodeProfile:
		object.Spec.NodeName, object.Spec.Profile = known.Spec.NodeName, known.Spec.Profile
		if dot := strings.LastIndex(object.Name, "."); dot > 0 && (known.Spec.NodeName == "" || known.Spec.Profile == "") {
			object.Spec.NodeName, object.Spec.Profile = object.Name[:dot], object.Name[dot+1:]
		}
	case *v1beta1.ScheduledEvent:
		object.Spec.NodeName = known.Spec.NodeName
	case *v1beta1.MaintenancePolicy:
		object.Spec.NodeSelector = selectorIn(known.Spec.NodeSelector)
	}
}

// selectorIn is the selector of a policy; nil if it cannot be read as a whole: then the policy may be for any node.
func selectorIn(data []byte) *metav1.LabelSelector {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var selector *metav1.LabelSelector
	if err := decoder.Decode(&selector); err != nil {
		return nil
	}
	return selector
}
