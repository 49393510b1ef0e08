#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="make install signs the modules with a given key, and ends with one line if the kernel demands signatures and there is no key"
TARGET=guest-long
AUTOLOAD=n

# sign_file: the program that signs, of any kernel whose headers are installed
sign_file() { compgen -G '/lib/modules/*/build/scripts/sign-file' | head -1 | grep .; }

requires() { need_ours && have openssl && { sign_file >/dev/null || { echo "no sign-file here: the kernel's headers are missing"; return 2; }; }; }

# refused WORD COMMAND...: it fails with one line that has the word; no module was installed.
refused() {
	local word=$1 out
	shift
	rm -rf "${root:?}/lib"
	out=$("$@" 2>&1) && fail "it succeeds: $out"
	log "$out"
	assert_eq "lines with $word" 1 "$(count "$word" <<<"$out")"
	assert_eq "lines" 1 "$(count . <<<"$out")"
	assert_eq "installed modules" 0 "$(find "$root" -name '*.ko' | count .)"
}

test() {
	local root=$TEST_TMP/root key=$TEST_TMP/key.pem cert=$TEST_TMP/cert.der m
	export DESTDIR=$root
	mkdir -p "$root/boot"
	limit 30 openssl req -new -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=a test key" \
		-outform DER -keyout "$key" -out "$cert" 2>/dev/null
	log "a kernel that demands signatures, and no key"
	echo CONFIG_MODULE_SIG_FORCE=y >"$root/boot/config-$(uname -r)"
	mkdir -p /var/lib/dkms
	rm -f /var/lib/dkms/mok.{key,pub}
	refused SIGN_KEY installer install
	log "keys that cannot be read"
	refused none.pem env SIGN_KEY="$TEST_TMP/none.pem" SIGN_CERT="$cert" KVER="$(uname -r)" "$RPCRDMA_TOP/scripts/install/modules" install
	refused SIGN_CERT env SIGN_KEY="$key" KVER="$(uname -r)" "$RPCRDMA_TOP/scripts/install/modules" install
	log "a kernel without CONFIG_MODULE_SIG"
	SIGN_KEY=$key SIGN_CERT=$cert SIGN_FILE=$TEST_TMP/none refused CONFIG_MODULE_SIG installer install
	SIGN_FILE=$(sign_file)
	export SIGN_FILE
	log "with a given key"
	SIGN_KEY=$key SIGN_CERT=$cert installer install
	for m in rpcrdma_core xprtrdma svcrdma; do
		assert_eq "signer of $m" "a test key" "$(modinfo -F signer "$root/lib/modules/$(uname -r)/updates/rpcrdma/$m.ko")"
	done
	log "with the key of DKMS"
	cp "$key" /var/lib/dkms/mok.key
	cp "$cert" /var/lib/dkms/mok.pub
	rm -r "${root:?}/lib"
	installer install
	assert_eq "signer" "a test key" "$(modinfo -F signer "$root/lib/modules/$(uname -r)/updates/rpcrdma/svcrdma.ko")"
	log "none is demanded"
	rm -r "${root:?}/boot" "${root:?}/lib"
	installer install
	assert_eq "signer" "" "$(modinfo -F signer "$root/lib/modules/$(uname -r)/updates/rpcrdma/svcrdma.ko")"
}

cleanup() { rm -f /var/lib/dkms/mok.{key,pub}; }
