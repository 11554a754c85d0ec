// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/util/json"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/lazy"
)

const responseTypeName = "maintenance.medik8s.io.Response"

// responseType declares the fields, so that a wrong one is refused at admission.
var responseType = apiservercel.NewObjectType(responseTypeName, map[string]*apiservercel.DeclField{
	"status": field("status", apiservercel.IntType),
	"headers": field("headers", apiservercel.NewMapType(
		apiservercel.StringType, apiservercel.StringType, -1)),
	"body": field("body", apiservercel.StringType),
	"json": field("json", apiservercel.DynType),
})

func field(name string, kind *apiservercel.DeclType) *apiservercel.DeclField {
	return apiservercel.NewDeclField(name, kind, true, nil, nil)
}

// responseValue parses the body only if the expression asks for json.
func responseValue(in Input) any {
	value := lazy.NewMapValue(responseType)
	is := func(v any) lazy.GetFieldFunc {
		return func(*lazy.MapValue) ref.Val { return types.DefaultTypeAdapter.NativeToValue(v) }
	}
	value.Append("status", is(in.Response.Status))
	value.Append("headers", is(in.Response.Headers))
	value.Append("body", is(in.Response.Body))
	value.Append("json", func(*lazy.MapValue) ref.Val { return jsonValue(in.Response.Body) })
	return value
}

// maxJSONBytes is how much memory response.json may take. Eight evaluations may have theirs at the same time.
const maxJSONBytes = 16 << 20

// jsonBytes is about how much memory a text of JSON takes when it is parsed. A map takes hundreds of bytes however small it
// is, so that 1 MiB of maps in each other takes 70 MiB.
func jsonBytes(text string) int {
	const mapBytes, itemBytes = 352, 64
	return len(text) + strings.Count(text, "{")*mapBytes + (strings.Count(text, "[")+strings.Count(text, ","))*itemBytes
}

// jsonValue has whole numbers as int, so that they can be counted with. Its error does not quote the body.
func jsonValue(body string) ref.Val {
	if jsonBytes(body) > maxJSONBytes {
		return types.NewErr("response.json: the body has too many values")
	}
	var value any
	if json.Unmarshal([]byte(body), &value) != nil {
		return types.NewErr("response.json: the body is no JSON")
	}
	return types.DefaultTypeAdapter.NativeToValue(value)
}
