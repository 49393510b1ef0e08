# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Each patch of the series compiles, and its modules link, with only the patches before it
# applied. Sourced by scripts/upstream/check after kernel.sh.

# The folder that is compiled after each patch.
STEPS_FOLDER=net/sunrpc/rdma/
# A configuration of its own, so that the kernels for guests are not compiled again.
STEPS_KERNEL=uml-steps

# steps_symbols: what modules of the series may use: the symbols that the kernel of "make guest-uml"
# exports, but those of its own transport. Built from the same fragment, it exports the same.
steps_symbols()
{
	local symbols

	symbols=$(kernel_dir uml)/Module.symvers
	[ -s "$symbols" ] || { echo "no $symbols; run scripts/setup uml"; return 1; }
	grep -v 'net/sunrpc/xprtrdma' "$symbols" >"$(kernel_dir $STEPS_KERNEL)/base.symvers"
}

# steps_prepare: the configuration before the first patch, and what every compilation needs.
steps_prepare()
{
	local dir

	dir=$(kernel_dir $STEPS_KERNEL)
	rm -rf "${dir:?}/$STEPS_FOLDER"
	upstream_source base && upstream_configure $STEPS_KERNEL && steps_symbols &&
		steps_make prepare && : >"$dir/modules.order"
}

# steps_configure: the options that the source has by now, as the fragment wants them.
steps_configure()
{
	local fragments log=$OUT/configure.log

	fragments=$(kernel_fragments $STEPS_KERNEL)
	cat "${fragments##*[[:space:]]}" >>"$(kernel_dir $STEPS_KERNEL)/.config" || return 1
	upstream_make $STEPS_KERNEL -s olddefconfig >"$log" 2>&1 || { tail -n 20 "$log"; return 1; }
}

# steps_make ARGUMENTS...: make with the warnings of W=1, and without a line if there are none.
steps_make()
{
	upstream_make $STEPS_KERNEL -s W=1 "$@"
}

# steps_link: modpost finds a definition of whatever the modules that were compiled use.
steps_link()
{
	(cd "$(kernel_dir $STEPS_KERNEL)" && scripts/mod/modpost -M -E -W -i base.symvers \
		-o steps.symvers -T "${STEPS_FOLDER}modules.order")
}

# steps_late: options that Makefiles of the series name and the configuration does not have yet,
# as arguments that compile their folders. Such a module lacks layers, and is not linked.
steps_late()
{
	local name

	grep -rhoE --include=Makefile 'CONFIG_[A-Z0-9_]+' "$UPSTREAM_SOURCE/$STEPS_FOLDER" | sort -u |
		while read -r name; do
			grep -q "^$name=" "$(kernel_dir $STEPS_KERNEL)/.config" || echo "$name=m"
		done
}

# steps_objects COMMIT: every source that a patch adds has been compiled.
steps_objects()
{
	local file missing=0

	while read -r file; do
		[ ! -s "$(kernel_dir $STEPS_KERNEL)/${file%c}o" ] || continue
		echo "error: no Makefile compiles $file"
		missing=1
	done < <(upstream_source_git diff-tree -r --no-commit-id --name-only --diff-filter=A "$1" \
		-- "$STEPS_FOLDER*.c")
	return $missing
}

# steps_compile COMMIT: what the newest patch adds compiles, and the modules link.
steps_compile()
{
	local late elsewhere

	# Objects of files that the patch changes outside of the folder
	mapfile -t elsewhere < <(upstream_source_git diff-tree -r --no-commit-id --name-only "$1" \
		-- '*.c' ":!$STEPS_FOLDER" | sed 's/c$/o/')
	steps_make "$STEPS_FOLDER" "${elsewhere[@]}" && steps_link || return 1
	mapfile -t late < <(steps_late)
	[ ${#late[@]} -eq 0 ] || steps_make "${late[@]}" "$STEPS_FOLDER" || return 1
	steps_objects "$1"
}

# steps_one COMMIT: apply one patch; configure again if options have changed; compile without a
# line of output.
steps_one()
{
	local log=$OUT/steps-one.log

	upstream_source_git reset -q --hard "$1" >"$log" 2>&1 || return 1
	if upstream_source_git diff-tree -r --no-commit-id --name-only "$1" | grep -q Kconfig; then
		steps_configure >"$log" 2>&1 || return 1
	fi
	steps_compile "$1" >"$log" 2>&1 && [ ! -s "$log" ]
}

# steps_reason: the first error or warning of the newest step, or its first line.
steps_reason()
{
	{ grep -m 1 -E '\b(error|warning|ERROR|WARNING):' "$OUT/steps-one.log" ||
		head -n 1 "$OUT/steps-one.log"; } | sed "s|$UPSTREAM_SOURCE/||g"
}

# steps_each: one verdict for each patch.
steps_each()
{
	local commit subject begin number=0 failed=0

	while read -r commit subject; do
		number=$((number + 1))
		begin=$SECONDS
		if steps_one "$commit" </dev/null; then
			verdict 0 "step $number: $subject ($((SECONDS - begin)) s)"
		else
			failed=1
			cp "$OUT/steps-one.log" "$OUT/step-$number.log"
			verdict 1 "step $number: $subject: $(steps_reason)"
		fi
	done < <(upstream_source_git log --reverse --format='%H %s' base..series)
	[ "$number" -gt 0 ] && [ "$failed" -eq 0 ]
}
