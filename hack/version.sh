#!/usr/bin/env bash
# Copyright The maintenance-apiserver Authors.
# SPDX-License-Identifier: Apache-2.0

# Says which version these sources are, by git, as lines of NAME=VALUE. With a NAME as its
# argument, it prints only that value.
#
#   version  the tag, if the commit has one: v1.2.3. Else a version between the last tag and the
#            next: v1.2.4-dev.5.g<commit> after v1.2.3, v1.3.0-rc.1.dev.5.g<commit> after
#            v1.3.0-rc.1, v0.1.0-dev.g<commit> before any tag. Uncommitted changes add ".dirty".
#   commit   the whole hash
#   tree     clean or dirty
#   date     when the commit was made: a build of the same commit has the same date
#   ldflags  what makes the linker write all this into the server, for go build -ldflags
#
# VERSION and SOURCE_DATE_EPOCH replace the version and the date, if they are set.

set -o errexit
set -o nounset
set -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The version that the commits before the first tag lead to.
readonly first=v0.1.0

# In a tarball, git archive has replaced this by the commit, its time and its tag, as
# .gitattributes asks it to.
# shellcheck disable=SC2016 # git is to see it as it is
readonly archived='$Format:%H %ct %(describe:tags=true,match=v[0-9]*.[0-9]*.[0-9]*,abbrev=12)$'

commit=unknown
epoch=0
described=""
tree=clean

# read_git finds out what the working tree is.
read_git() {
  commit=$(git rev-parse HEAD)
  epoch=$(git log -1 --format=%ct)
  described=$(git describe --tags --match 'v[0-9]*.[0-9]*.[0-9]*' --abbrev=12 2>/dev/null || true)
  if [[ -n $(git status --porcelain) ]]; then
    tree=dirty
  fi
}

# after prints the version of sources that follow a tag by some commits, or by changes.
after() {
  local tag=$1 commits=$2
  if [[ ${tag} == *-* ]]; then
    echo "${tag}.dev.${commits}.g${commit:0:12}"
  else
    echo "${tag%.*}.$((${tag##*.} + 1))-dev.${commits}.g${commit:0:12}"
  fi
}

# version_of_git prints the version, without ".dirty".
version_of_git() {
  if [[ ${commit} == unknown ]]; then
    echo "${first}-dev.unknown"
  elif [[ -z ${described} ]]; then
    echo "${first}-dev.g${commit:0:12}"
  elif [[ ${described} =~ ^(.+)-([0-9]+)-g[0-9a-f]+$ ]]; then
    after "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
  elif [[ ${tree} == dirty ]]; then
    after "${described}" 0
  else
    echo "${described}"
  fi
}

if [[ ${archived} != '$Format'* ]]; then
  read -r commit epoch described <<<"${archived}"
elif [[ -e .git ]]; then
  read_git
fi

version=${VERSION:-}
if [[ -z ${version} ]]; then
  version=$(version_of_git)
  if [[ ${tree} == dirty ]]; then
    version+=.dirty
  fi
fi
# As in semantic versioning, but without "+", which cannot be in the tag of an image.
number='(0|[1-9][0-9]*)'
if ! [[ ${version} =~ ^v${number}\.${number}\.${number}(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$ ]]; then
  echo "\"${version}\" is not a version such as v1.2.3 or v1.2.3-rc.1" >&2
  exit 1
fi
major=${BASH_REMATCH[1]} minor=${BASH_REMATCH[2]}

epoch=${SOURCE_DATE_EPOCH:-${epoch}}
format=%Y-%m-%dT%H:%M:%SZ
date=$(date -u -d "@${epoch}" "+${format}" 2>/dev/null || date -u -r "${epoch}" "+${format}")

# client-go tells the version to API servers, component-base to everybody else.
ldflags="-s -w"
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  for variable in "gitVersion=${version}" "gitMajor=${major}" "gitMinor=${minor}" \
    "gitCommit=${commit}" "gitTreeState=${tree}" "buildDate=${date}"; do
    ldflags+=" -X ${package}.${variable}"
  done
done

case ${1:-all} in
version | commit | tree | date | ldflags) echo "${!1}" ;;
all) printf '%s\n' "version=${version}" "commit=${commit}" "tree=${tree}" "date=${date}" "ldflags=${ldflags}" ;;
*) echo "there is no \"$1\": version, commit, tree, date or ldflags" >&2 && exit 1 ;;
esac
