# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Data written to and read from a mount, compared on both sides.

sum_of() { sha256sum <"$1" | cut -d' ' -f1; }

# long_path N: print a path of N bytes without overlong components.
long_path() { head -c "$1" /dev/zero | tr '\0' x | sed 's:x\{200\}:&/:g' | head -c "$1"; }

# on_server NAME: print the path of the file on the server; if that is another guest, on the mount.
on_server() { if [ "${GUEST_SIDE:-single}" = single ]; then echo "$EXPORT/$1"; else echo "$MNT/$1"; fi; }

# basic_files VERSION: basic operations of every mount; all files are removed again.
basic_files() {
	local d=$MNT/basic-$1 e s
	e=$(on_server basic-$1)
	assert mkdir mkdir "$d"
	echo "hello $1" >"$d/small"
	assert_eq "small file on the server" "hello $1" "$(cat "$e/small")"
	assert "1 MiB write" "$IOTOOL" write "$d/big" 0 1048576 7
	assert "unaligned write" "$IOTOOL" write "$d/big" 1048576 777777 7
	assert "server has the data" "$IOTOOL" check "$e/big" 0 1826353 7
	s=$(sum_of "$e/big")
	assert_eq "checksum through the cache" "$s" "$(sum_of "$d/big")"
	drop_caches
	assert_eq "checksum from the server" "$s" "$(sum_of "$d/big")"
	assert "direct read" "$IOTOOL" check "$d/big" 3 1000001 7 direct mem=5
	assert rename mv "$d/big" "$d/renamed"
	assert "hard link" ln "$d/renamed" "$d/linked"
	assert symlink ln -s renamed "$d/symlink"
	assert_eq readlink renamed "$(readlink "$d/symlink")"
	assert chmod chmod 640 "$d/renamed"
	assert_eq mode 640 "$(stat -c %a "$e/renamed")"
	assert truncate truncate -s 5000 "$d/renamed"
	assert_eq "size on the server" 5000 "$(stat -c %s "$e/renamed")"
	assert_eq listing "linked renamed small symlink" "$(ls "$d" | tr '\n' ' ' | sed 's/ $//')"
	assert statfs stat -f "$d" >/dev/null
	assert remove rm -r "$d"
	refute "gone on the server" [ -e "$e" ]
}

# bulk_copy VERSION MIB: copy a file of MIB MiB to the mount, and read it back.
bulk_copy() {
	local f=$TEST_TMP/bulk s
	head -c "$2M" /dev/urandom >"$f"
	s=$(sum_of "$f")
	assert copy limit 120 cp "$f" "$MNT/bulk"
	sync -f "$MNT/bulk"
	assert_eq "checksum on the server" "$s" "$(sum_of "$(on_server bulk)")"
	drop_caches
	assert_eq "checksum read back" "$s" "$(sum_of "$MNT/bulk")"
	assert "read back, direct" limit 120 dd if="$MNT/bulk" of="$f.back" bs=1M iflag=direct status=none
	assert_eq "checksum read back, direct" "$s" "$(sum_of "$f.back")"
	rm -f "$MNT/bulk" "$f" "$f.back"
}

# all_sizes [direct]: write every interesting size, offset and alignment; compare on the
# server and through the mount.
all_sizes() {
	local d=$MNT/sizes${1:-} seed=${RANDOM}
	mkdir "$d"
	assert "write all sizes ${1:-}" limit 60 "$IOTOOL" sweep-write "$d" $seed "${1:-}" >"$TEST_TMP/swept"
	assert "the server has them ${1:-}" limit 60 "$IOTOOL" sweep-check "$(on_server sizes${1:-})" $seed >"$TEST_TMP/swept"
	drop_caches
	assert "read all sizes ${1:-}" limit 60 "$IOTOOL" sweep-check "$d" $seed "${1:-}" >"$TEST_TMP/swept"
	assert_eq "files" 72 "$(cat "$TEST_TMP/swept")"
	rm -r "$d"
}

# around SIZE: write one O_DIRECT file per size from SIZE - 320 to SIZE + 2, so the length of the
# whole message crosses SIZE, whatever the length of its headers.
around() {
	local d=$MNT/around$1
	mkdir "$d"
	assert "write around $1" limit 60 "$IOTOOL" range-write "$d" 5 $(($1 - 320)) $(($1 + 2))
	assert "the server has them" limit 60 "$IOTOOL" range-check "$(on_server around$1)" 5 $(($1 - 320)) $(($1 + 2))
	assert "read around $1" limit 60 "$IOTOOL" range-check "$d" 5 $(($1 - 320)) $(($1 + 2))
	rm -r "$d"
}

# io_start LENGTH FILE...: write and compare each file of the mount repeatedly until io_end. Each
# line of $TEST_TMP/ops is the duration of one operation in milliseconds.
io_start() {
	local file
	rm -f $TEST_TMP/enough
	: >$TEST_TMP/ops
	IO=()
	for file in "${@:2}"; do
		io_loop "$1" "$MNT/$file" &
		IO+=($!)
	done
}
io_loop() {
	local n=0 begin
	until [ -e $TEST_TMP/enough ]; do
		n=$((n + 1)) begin=$(now_ms)
		"$IOTOOL" write "$2" 0 "$1" $n direct || return 1
		"$IOTOOL" check "$2" 0 "$1" $n direct || return 1
		echo $(($(now_ms) - begin)) >>$TEST_TMP/ops
	done
}
# io_count: print the number of operations so far. io_more NUMBER: succeed if there were more.
io_count() { wc -l <$TEST_TMP/ops; }
io_more() { [ "$(io_count)" -gt "$1" ]; }
# io_end: assert that all data was correct; set LONGEST to the longest operation in milliseconds.
io_end() {
	local pid
	touch $TEST_TMP/enough
	for pid in "${IO[@]}"; do assert "data is right" wait $pid; done
	LONGEST=$(sort -n $TEST_TMP/ops | tail -n 1)
}

# fio_jobs NAME JOBS SIZE OPTION...: start fio in the background; each job verifies a file by
# checksums. $FIO is the process.
fio_jobs() {
	mkdir -p $MNT/fio
	fio --name="$1" --directory=$MNT/fio --numjobs="$2" --size="$3" --ioengine=psync --verify=crc32c --verify_fatal=1 \
		--do_verify=1 --group_reporting --thread --fallocate=none --output-format=json --output="$TEST_TMP/fio.json" "${@:4}" \
		>"$TEST_TMP/fio.err" 2>&1 &
	FIO=$!
}

# fio_start JOBS SIZE: start writers and readers of blocks of random sizes.
fio_start() { fio_jobs v "$1" "$2" --rw=randwrite --bsrange=512-256k --bs_unaligned=0 --blockalign=512 --direct=1; }

# fio_finish SECONDS: assert that fio succeeds within this time; set LONGEST to its longest request
# in milliseconds.
fio_finish() {
	local rc=0
	if ! poll_for "$1" fio_ended; then
		show_stuck
		fail "fio did not end within $1 s"
	fi
	wait $FIO || rc=$?
	if [ $rc -ne 0 ]; then
		tail -n 5 "$TEST_TMP/fio.err" "$TEST_TMP/fio.json"
		fail "fio: status $rc"
	fi
	LONGEST=$(awk '/"[cs]?lat_ns"/ { on = 1 } on && /"max"/ { gsub(/[^0-9.]/, ""); if ($0 > m) m = $0; on = 0 }
		END { printf "%d", m / 1000000 }' "$TEST_TMP/fio.json")
	rm -rf $MNT/fio
}
fio_ended() { ! kill -0 $FIO 2>/dev/null; }

# fio_verify JOBS SIZE: run fio with direct I/O, and again through the cache.
fio_verify() {
	fio_start "$1" "$2"
	fio_finish $((100 * SLOW))
	fio_jobs b "$1" "$2" --rw=randrw --bs=16k --fsync_on_close=1
	fio_finish $((100 * SLOW))
}
