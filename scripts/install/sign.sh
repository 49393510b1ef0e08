# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Signatures of modules, for kernels that load no others. Sourced by scripts/install/modules.

# Where DKMS keeps the key that the machine's owner has enrolled.
DKMS_KEY=/var/lib/dkms/mok.key
DKMS_CERT=/var/lib/dkms/mok.pub

# sign_demanded KVER: whether that kernel refuses modules without a signature.
sign_demanded()
{
	if [ "$1" = "$(uname -r)" ] && [ -z "$DESTDIR" ]; then
		grep -qs Y /sys/module/module/parameters/sig_enforce ||
			grep -qsE '\[(integrity|confidentiality)\]' /sys/kernel/security/lockdown
	else
		grep -qsx CONFIG_MODULE_SIG_FORCE=y "$DESTDIR/boot/config-$1"
	fi
}

# sign_prepare KVER: set SIGN_FILE, SIGN_HASH, and the keys if the modules are to be signed;
# end with one line if they have to be and cannot.
sign_prepare()
{
	local build=/lib/modules/$1/build

	SIGNER=
	if [ -z "${SIGN_KEY:-}" ]; then
		sign_demanded "$1" || return 0
		if [ ! -r $DKMS_KEY ] || [ ! -r $DKMS_CERT ]; then
			die "kernel $1 loads signed modules only: set SIGN_KEY and SIGN_CERT" \
				"to an enrolled key (Documentation/installation.rst)"
		fi
		SIGN_KEY=$DKMS_KEY SIGN_CERT=$DKMS_CERT
	fi
	[ -r "$SIGN_KEY" ] || die "cannot read the key $SIGN_KEY"
	[ -r "${SIGN_CERT:-}" ] || die "cannot read the certificate SIGN_CERT=${SIGN_CERT:-}"
	SIGN_FILE=${SIGN_FILE:-$build/scripts/sign-file}
	[ -x "$SIGN_FILE" ] || die "no $SIGN_FILE: this kernel was built without CONFIG_MODULE_SIG"
	SIGN_HASH=$(sed -n 's/^CONFIG_MODULE_SIG_HASH="\(.*\)"$/\1/p' "$build/.config" 2>/dev/null)
	SIGN_HASH=${SIGN_HASH:-sha256}
}

# sign_module FILE: append a signature, if sign_prepare() found that there has to be one.
sign_module()
{
	[ -n "${SIGN_KEY:-}" ] || return 0
	"$SIGN_FILE" "$SIGN_HASH" "$SIGN_KEY" "$SIGN_CERT" "$1" || return 1
	SIGNER=$(modinfo -F signer "$1")
	[ -n "$SIGNER" ]
}
