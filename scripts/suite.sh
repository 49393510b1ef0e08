# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Packages of kernels that this release of Debian does not have. They are downloaded into the cache
# by an apt configuration of our own, which checks their signatures and leaves the host's as it is.
# Sourced by scripts/kernels.sh.

SUITE=$RPCRDMA_CACHE/suite

# series_suite SERIES: the suite that has kernels of that series; fails if each release has them.
series_suite()
{
	case $1 in
	7.*) echo trixie-backports ;;
	*) return 1 ;;
	esac
}

# suite_mirror: where this host gets its own packages from.
suite_mirror()
{
	local mirror release

	release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	# shellcheck disable=SC2016 # for apt-get
	mirror=$(apt-get indextargets --format '$(SITE)' "Release: $release" | head -n 1)
	echo "${mirror:-http://deb.debian.org/debian}"
}

# suite_apt PROGRAM ARGUMENTS...: apt-get or apt-cache, for these packages only.
suite_apt()
{
	"$1" -q -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$SUITE/etc" \
		-o "Dir::State=$SUITE/state" -o "Dir::Cache=$SUITE/cache" \
		-o APT::Sandbox::User=root "${@:2}"
}

# suite_update: what the suite of the series has today.
suite_update()
{
	local suite

	suite=$(series_suite "$RPCRDMA_SERIES") && command -v apt-get >/dev/null || return 1
	mkdir -p "$SUITE"/{etc,state/lists/partial,cache/archives/partial,debs} || return 1
	printf '%s\n' "Types: deb" "URIs: $(suite_mirror)" "Suites: $suite" "Components: main" \
		"Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg" >"$SUITE/etc/suite.sources"
	suite_apt apt-get update >/dev/null
}

# suite_deb PACKAGE: the newest version of it that has been downloaded.
suite_deb()
{
	find "$SUITE/debs" -name "$1_*.deb" 2>/dev/null | sort -V | tail -n 1 | grep .
}

# suite_download PACKAGE...: into the cache, whole or not at all.
suite_download()
{
	say "setup: downloading $*"
	(cd "$SUITE/debs" && suite_apt apt-get download "$@") | sed 's/^/setup:   /'
	return "${PIPESTATUS[0]}"
}

# suite_newest PATTERN: the newest release of the kernel whose modules the suite has.
suite_newest()
{
	local release

	suite_apt apt-cache pkgnames linux-modules- | sed 's/^linux-modules-//' | sort -V |
	while read -r release; do
		# shellcheck disable=SC2053
		if [[ $release == $1 ]]; then echo "$release"; fi
	done | tail -n 1 | grep .
}
