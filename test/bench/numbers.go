// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// numbers is a flag: numbers of at least 1, separated by commas.
type numbers []int

// Set reads what String prints.
func (n *numbers) Set(value string) error {
	read := numbers{}
	for text := range strings.SplitSeq(value, ",") {
		number, err := strconv.Atoi(text)
		if err != nil || number < 1 {
			return fmt.Errorf("%q is not a number of at least 1", text)
		}
		read = append(read, number)
	}
	*n = read
	return nil
}

// String is empty for the zero value, as the flag package wants it.
func (n *numbers) String() string {
	if n == nil {
		return ""
	}
	var texts []string
	for _, number := range *n {
		texts = append(texts, strconv.Itoa(number))
	}
	return strings.Join(texts, ",")
}

// most is the largest of them.
func (n numbers) most() int { return slices.Max(n) }
