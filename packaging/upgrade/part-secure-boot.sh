# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Secure Boot: the kernel refuses modules that DKMS has signed until the machine's owner has
# enrolled the key. Until then, fstab mounts with the kernel's own transport. Sourced by
# packaging/upgrade/run.

DKMS_KEY="DKMS module signing key"

# unpack_firmware: what is booted before the kernel, with variables as they are when a machine is
# sold.
unpack_firmware()
{
	local name archives=$root/var/cache/apt/archives files=$OUT/firmware

	rm -rf "$files"
	mkdir -p "$files" || return 1
	for name in ovmf shim-signed grub-efi-amd64-signed; do
		dpkg-deb -x "$(printf '%s\n' "$archives/$name"_*.deb | tail -n 1)" "$files" ||
			return 1
	done
	cp "$files/usr/share/OVMF/OVMF_VARS_4M.ms.fd" "$files/variables"
}

# signed_by_dkms RELEASE: all modules are, with the key of which it has the certificate.
signed_by_dkms()
{
	local name file

	openssl x509 -inform DER -in "$root/var/lib/dkms/mok.pub" -noout -subject || return 1
	for name in $RPCRDMA_MODULES; do
		file=$(find "$root/lib/modules/$1/" -name "$name.ko*")
		echo "$file: $(modinfo -F signer "$file")"
		[ "$(modinfo -F signer "$file")" = "$DKMS_KEY" ] || return 1
	done
}

# secure NAME: that boot was one with Secure Boot.
secure()
{
	check "$1: Secure Boot is enabled" reports "$1" secure_boot 'SecureBoot enabled*'
	check "$1: the kernel is locked down" reports "$1" lockdown '*\[integrity\]*'
	check "$1: modinfo shows the signer" reports "$1" signer "$DKMS_KEY"
}

part_secure_boot()
{
	local kernel=${KERNELS[2]} RUNNING=${KERNELS[2]} MACHINE=secure

	check "only the kernel $kernel" \
		apt_in "$root" --no-download install "linux-image-$kernel" "linux-headers-$kernel" \
		mokutil "linux-image-${KERNELS[0]}-" "linux-headers-${KERNELS[0]}-"
	check "our packages install" install_debs "$RPCRDMA_BUILD/packages"
	check "DKMS has built for $kernel" dkms_has "$kernel"
	check "DKMS has signed with its key" signed_by_dkms "$kernel"
	check "firmware of a new machine" unpack_firmware

	check "boot without the key" boot refused "$kernel"
	secure refused
	check "refused: the kernel says why" reports refused refused '?*'
	check "refused: the log says what is used" reports refused said '[1-9]*'
	mounted refused "$kernel" intree
	check "refused: rpcrdmactl doctor says what to do" \
		reports refused doctor "*does not know the key '$DKMS_KEY'*mokutil --import*"

	check "the key is enrolled" "$upgrade/enroll" "$OUT/firmware/variables" \
		"$root/var/lib/dkms/mok.pub"
	check "boot with the key" boot enrolled "$kernel"
	secure enrolled
	check "enrolled: no module was refused" reports enrolled refused ''
	mounted enrolled "$kernel" ours
	check "enrolled: rpcrdmactl doctor finds the key" \
		reports enrolled doctor "*trusts '$DKMS_KEY'*"
}
