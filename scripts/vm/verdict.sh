# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Judges a guest's run by its script's status and its kernel's messages. Sourced
# by scripts/vm/run.

# kernel_complaints: print the unexpected bad lines of the console.
kernel_complaints()
{
	perl -0777 -p "$here/known.pl" "$VM_OUT/console" | grep -aEf "$here/complaints" |
		grep -avE "${VM_ALLOW:-^$}"
}

# leaks: print kmemleak's reports. Our modules are unloaded by then, and backtraces show only the
# addresses of their functions, so every report counts, except those of the boot, before the modules
# were loaded (7.3 leaks the options of its root file system).
leaks()
{
	[ -e "$VM_OUT/kmemleak" ] || return 1
	awk '/^unreferenced object/ { head = $0; next }
		head { boot = /comm "swapper/; if (!boot) print head; head = "" }
		!boot && shown++ < 40
		END { exit !shown }' "$VM_OUT/kmemleak"
}

# show_console N: print the last N kernel messages.
show_console()
{
	echo "vm: the last kernel messages:" >&2
	tail -n "$1" "$VM_OUT/console" | tr -d '\r' | sed 's/^/vm| /' >&2
}

# verdict STATUS: return the status of the run; STATUS is the emulator's.
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
