#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the commands in the documents work as written: set up a server, mount, inspect, tune, trace, unmount"
KERNELS="uml x86"
TIMEOUT=120

# The documents, in the order of their commands
DOCUMENTS="getting-started.rst tuning.rst tracepoints.rst troubleshooting.rst"
# Lines that are not run: done already, endless, contents of files, or for the host
NOT_HERE='^(modprobe rdma_rxe|rdma link add |\\[nfsd]|rdma[^ ]*=|server:/srv |make |scripts/[^t]|rping |modinfo -F vermagic|cat trace_pipe|scripts/trace/latency$|apt |rpcrdmactl doctor)'

requires() { need_ours && have mountstats python3; }

test() {
	local document
	nfsd_ready
	mkdir -p $MNT
	: >/etc/exports
	limit 10 exportfs -ua
	head -c 300000 /dev/urandom >$EXPORT/f
	# The log may have been cleared since the modules were loaded.
	echo "svcrdma: a line for dmesg" >/dev/kmsg
	for document in $DOCUMENTS; do run_document $document; done
	refute "the mount is gone" grep -q " $MNT nfs" /proc/mounts
}

# run_document NAME: run its blocks of commands, each in a shell that exits at the first failure.
run_document() {
	local block='' line ran=0
	log "$1"
	while IFS= read -r line; do
		if [ -n "$line" ]; then
			block+=$(as_here "$line")$'\n'
		elif [ -n "$block" ]; then
			run_block "$block"
			ran=$((ran + 1))
			block=''
		fi
	done < <(commands "$RPCRDMA_TOP/Documentation/$1")
	assert_ge "blocks of commands in $1" $ran 1
}

# commands DOCUMENT: print the lines of its literal blocks without prompt, sudo and comment, with an
# empty line after each block.
commands() {
	awk -v not_here="$NOT_HERE" '
		begun && NF { at = match($0, /[^ ]/); block = at > least ? at : 0; begun = 0 }
		block && NF && match($0, /[^ ]/) < block { block = 0; print "" }
		block && NF {
			gsub(/^ *(client# |server# |\$ )?(sudo )?| +# .*/, "")
			if ($0 !~ not_here) print
		}
		!block && /::$/ && !/^ *\.\. / { begun = 1; least = match($0, /[^ ]/) }
		END { print "" }' "$1"
}

# as_here COMMAND: replace the names with those of this guest. A tmpfs needs an fsid to be exported,
# and is then the root of NFSv4. A mount may still be busy after "umount -f", or be gone already.
as_here() {
	sed "s|'/srv \*(rw)'|'$EXPORT *(rw,fsid=0,insecure,no_root_squash)'|
		s|server:/srv|$ADDR4:/|; s|/mnt|$MNT|g; s|^rpcrdmactl|tools/rpcrdmactl/&|; s|^umount -l .*|& \|\| ! mountpoint -q $MNT|" <<<"$1"
}

run_block() {
	log "$1"
	drop_caches # so that reading makes calls
	printf 'cd %q\n%s' "$RPCRDMA_TOP" "$1" >$TEST_TMP/block
	limit 60 "$BASH" -ex -o pipefail $TEST_TMP/block >$TEST_TMP/out 2>$TEST_TMP/steps ||
		fail "the last of these: $(tail -n 5 $TEST_TMP/steps)"
	case $1 in
	*--rdma*)
		assert "listens" grep -qx 'rdma 20049' $TEST_TMP/out
		grace_ends
		;;
	*proto=rdma,*) assert "the connection is listed" grep -q '^client:' $TEST_TMP/out ;;
	*mountstats*)
		assert "mountstats" grep -q 'Transport protocol: rdma' $TEST_TMP/out
		assert "rpcrdmactl" grep -qE '^ *version +2' $TEST_TMP/out
		;;
	*dmesg*) assert "the kernel log" grep -q 'svcrdma: a line for dmesg' $TEST_TMP/out ;;
	*trace/latency*) assert "a histogram" grep -qi 'network.and.server' $TEST_TMP/out ;;
	esac
}

cleanup() {
	local events
	for events in /sys/kernel/tracing/events/*rdma; do echo 0 >$events/enable; done
	sysctl -qw sunrpc.rdma_max_inline_read=4096 sunrpc.rdma_max_inline_write=4096 sunrpc.svc_rdma.max_req_size=4096
}
