# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Whether a guest's run was good: its script's status, and what its kernel said.
# Sourced by scripts/vm/run.

# kernel_complaints: the bad lines of the console that were not expected.
kernel_complaints()
{
	perl -0777 -p "$here/known.pl" "$VM_OUT/console" | grep -aEf "$here/complaints" |
		grep -avE "${VM_ALLOW:-^$}"
}

# leaks: what kmemleak found. Our modules are unloaded by then, and their functions are bare
# addresses in its backtraces; so every report counts, whoever leaks, but those of the boot, when
# there were none (7.3 leaks the options of its root file system).
leaks()
{
	[ -e "$VM_OUT/kmemleak" ] || return 1
	awk '/^unreferenced object/ { head = $0; next }
		head { boot = /comm "swapper/; if (!boot) print head; head = "" }
		!boot && shown++ < 40
		END { exit !shown }' "$VM_OUT/kmemleak"
}

# show_console N: the last N lines of the kernel's messages.
show_console()
{
	echo "vm: the last kernel messages:" >&2
	tail -n "$1" "$VM_OUT/console" | tr -d '\r' | sed 's/^/vm| /' >&2
}

# verdict STATUS: STATUS is that of the emulator; return the run's.
verdict()
{
	local boot=$1 rc bad

	bad=$(kernel_complaints | tr -d '\r' | head -20)
	if [ -n "$bad" ]; then
		echo "vm: the kernel complained:" >&2
		printf '%s\n' "$bad" | sed 's/^/vm| /' >&2
	fi
	if [ "$boot" -eq 124 ] || [ "$boot" -eq 137 ]; then
		if [ ! -s "$VM_OUT/rc" ]; then
			echo "vm: no end after $VM_TIMEOUT s" >&2
			show_console 15
			return 124
		fi
	fi
	if [ ! -s "$VM_OUT/rc" ]; then
		echo "vm: the guest died (status $boot)" >&2
		show_console 40
		return 125
	fi
	rc=$(cat "$VM_OUT/rc")
	[ "$rc" -eq 0 ] || return "$rc"
	[ -z "$bad" ] || return 126
	if leaks >&2; then
		echo "vm: kmemleak found something, see $VM_OUT/kmemleak" >&2
		return 126
	fi
	return 0
}
