// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: version 1, each path through the server once: headers, malformed chunk lists, all
 * kinds of chunks. The suites of the codec and the server have all malformations.
 */

#include <rpcrdma/conf.h>

#include "peer.h"

#define CHUNK		RPCRDMA_ERR_CHUNK
#define EMPTY		MSG(v1, RPCRDMA_MSG)
#define NULL_CALL	EMPTY, MSG(null)
#define MSGP(align_, thresh_)						\
	MSG(v1, RPCRDMA_MSGP), FIELD(padded, 1), FIELD(align, align_),	\
	FIELD(thresh, thresh_)

/* clear: clear @a[0] bytes of memory */
static BUILD(clear)
{
	memset(p->s.mem.sink, 0, a[0]);
}

/* rpc_xid: give the RPC message another XID than the header */
static BUILD(rpc_xid)
{
	put_unaligned_be32(a[0], p->m.payload);
}

/* An NFSv3 WRITE of 600 bytes without a file; its data at byte 152 is moved to byte 512. */
static BUILD(padded_write)
{
	rpc_call(&p->m, RPC_NFS, 3, 7);
	message_put(&p->m, 32);
	message_puts(&p->m, 8 + 2, 0);
	message_put(&p->m, 600);
	message_put(&p->m, 2);
	message_put(&p->m, 600);
	message_puts(&p->m, (512 - 152 + 600) / 4, 0x5a5a5a5a);
}

/*
 * A COMPOUND of PUTROOTFH and LOOKUP "data". The server echoes the tag and looks up
 * the name, so the reply proves that both have arrived. TAG_AT and NAME_AT are their
 * places in memory if they are in chunks.
 */
#define TAG_AT		4096u
#define NAME_AT		8192u
#define CALL_AT		16384u
#define TAG_LEN		18u
#define TAG_ROUND	20u
#define TAG_POS		(60u + 4)	/* after the RPC call header */
#define NAME_POS	(TAG_POS + TAG_ROUND + 4 + 4 + 4 + 4 + 4)
/* Length of a reply, without data: header, tag, and per operation 8 bytes */
#define REPLY_LEN(ops)	(24 + 8 + TAG_ROUND + 4 + 8 * (ops))

static BUILD(names)
{
	memory_set(&p->s.mem, TAG_AT, RPC_TAG, TAG_LEN);
	memory_set(&p->s.mem, NAME_AT, "data", 4);
}

#define CALL		MSG(v1, RPCRDMA_MSG), MSG(names)
#define OPEN(more)	MSG(v1, RPCRDMA_MSG), MSG(open, more)
#define FOUND		DO(ok), DO(compound, 2)
#define TAG(at, len)	MSG(read, TAG_POS, TAG_AT + (at), len)
#define NAME(at, len)	MSG(read, NAME_POS, NAME_AT + (at), len)

/*
 * On any transport, nfsd 6.12 puts the data of a second READ into the wrong page unless
 * the data starts on a page boundary. The length of the first READ ensures this.
 */
#define FIRST	4077u
#define BOTH	(REPLY_LEN(4) + 2 * 8 + 6000)

/*
 * largest: @a[0] WRITEs at the same time, and then READs, of nfsd's maximum size. A single
 * WRITE exceeds the connection's limit for Reads, and the READs exceed its limit for reply
 * pages. They are served one after the other.
 */
static STEP(largest)
{
	FILE *file = fopen("/proc/fs/nfsd/max_block_size", "r");
	u32 size = 0;

	CHECK(file && fscanf(file, "%u", &size) == 1 && !fclose(file),
	      "no max_block_size");
	CHECK(size >= 1u << 20 && size <= SINK_LARGEST, "another max_block_size");
	const struct step steps[] = {
		WITH(set, "read_calls_bytes", size / 2),
		OPEN(1), MSG(nfs_write, size), DO(flood, st->a[0], RPCRDMA_MSG),
		DO(compound, 3), MSG(clear, size),
		OPEN(1), MSG(nfs_read, 0, size), MSG(write, 0, size),
		DO(flood, st->a[0], RPCRDMA_MSG), DO(compound, 3), DO(wrote, size),
		DO(data, 0, 0, size), DO(ping), { NULL }
	};

	return run_steps(p, steps);
}

/* immediate: an empty RDMA Write with immediate data, which needs no handle */
static STEP(immediate)
{
	const struct rpcrdma_segment none = { 0 };

	return endpoint_rdma(&p->s.ep, IBV_WR_RDMA_WRITE_WITH_IMM, NULL,
			     p->s.ep.mr, &none);
}

const struct peer_case v1_cases[] = {
	CASE(ping, DO(ping)),
	CASE(version_3, NULL_CALL, FIELD(wire_version, 3), DO(refused, RPCRDMA_ERR_VERS)),
	CASE(no_xid, EMPTY, FIELD(size, 0), DO(send), DO(closes)),
	CASE(write_immediate, DO(immediate), DO(closes)),
	/* RDMA_MSG must have an inline part in addition to its chunks. */
	CASE(half_xid, EMPTY, MSG(put, 1, 1), FIELD(payload_len, 2),
	     DO(refused, CHUNK)),
	/*
	 * draft-01 section 4.1: the header's XID takes precedence. The reply's header has this
	 * XID, and its RPC message has the XID of the call's RPC message.
	 */
	CASE(xid_differs, NULL_CALL, MSG(rpc_xid, 4711), DO(ok), DO(rpc, 0, 4711),
	     DO(ping)),
	CASE(done, MSG(v1, RPCRDMA_DONE), DO(post), DO(ping)),
	/* An error, and a reply without a callback */
	CASE(not_answered, MSG(v1, RPCRDMA_ERROR), FIELD(lists, 0), MSG(words, 1, 77),
	     DO(post), EMPTY, MSG(put, 2, 1), MSG(put, 6, 0), DO(post), DO(ping)),
	CASE(msgp_short, MSGP(64, 512), MSG(null), DO(ok)),
	CASE(msgp_padded, MSGP(64, 16), MSG(null), DO(refused, CHUNK)),
	/* The call reaches nfsd, which does not serve version 3 here: PROG_MISMATCH. */
	CASE(msgp_write, MSGP(512, 512), MSG(padded_write),
	     DO(answer, RPCRDMA_MSG), DO(rpc, 5, 2), DO(ping)),
	CASE(conf_rdma, MSG(v1, RPCRDMA_MSG),
	     MSG(call, RPCRDMA_CONF_PROG, RPCRDMA_CONF_VERS, RPCRDMA_CONF_RDMA),
	     MSG(put, 2, EP_RECV_SIZE), MSG(put, 1, 16), DO(ok),
	     /* max_req_size, the only alignment that XDR has, and initiator_depth */
	     DO(rpc, 6, 4096), DO(rpc, 7, 4), DO(rpc, 8, 4), DO(ping)),
	CASE(many_calls, NULL_CALL, DO(flood, 40, RPCRDMA_MSG), DO(ping)),
	CASE(write_count_wrap, NULL_CALL, MSG(write), FIELD(writes[0].count, 0x10000001),
	     DO(refused, CHUNK)),
	CASE(read_one_rounded, CALL, TAG(0, TAG_ROUND), MSG(open, 0, TAG_MOVED),
	     FOUND),
	CASE(read_unsorted, CALL, NAME(0, 1), TAG(0, 5), NAME(1, 3),
	     TAG(5, TAG_LEN - 5), MSG(open, 0, TAG_MOVED | NAME_MOVED), FOUND),
	CASE(pz_alone, CALL, FIELD(type, RPCRDMA_NOMSG),
	     MSG(open), MSG(move, CALL_AT), FOUND),
	CASE(pz_and_two, CALL, FIELD(type, RPCRDMA_NOMSG),
	     MSG(open, 0, TAG_MOVED | NAME_MOVED), NAME(0, 4),
	     MSG(move, CALL_AT, TAG_POS, TAG_AT, TAG_LEN), FOUND),
	CASE(position_beyond, CALL, MSG(read, 4000, TAG_AT, 18), MSG(open, 0, TAG_MOVED),
	     DO(refused, CHUNK)),
	/* A Read that is not the last in its chain fails. */
	CASE(bad_handle_first, CALL, TAG(0, 1), MSG(spoil), TAG(1, TAG_LEN - 1),
	     MSG(open, 0, TAG_MOVED), DO(send), WITH(counted, "reads_failed", 1),
	     DO(closes)),
	/* A Write before the Send in its chain fails. */
	CASE(bad_handle_write, OPEN(1), MSG(nfs_read, 0, 4096), MSG(write, 0, 4096),
	     MSG(spoil), DO(send), WITH(counted, "writes_failed", 1), DO(closes)),
	CASE(write_three, OPEN(2), MSG(nfs_read, 3, FIRST), MSG(nfs_read, 1000, 1001),
	     MSG(write, 0, 8192), MSG(write, 8192, 1001), MSG(write, 16384, 8192),
	     DO(ok), DO(compound, 4), HDR(writes.chunks, 3), DO(wrote, FIRST + 1001),
	     DO(data, 0, 3, FIRST), DO(data, 8192, 1000, 1001)),
	/* The reply needs more Writes than the Send Queue has entries. */
	CASE(write_many, OPEN(1), MSG(nfs_read, 0, 4400), MSG(write),
	     MSG(segments, 220, 20), DO(ok), DO(compound, 3), DO(wrote, 4400),
	     DO(data, 0, 0, 4400)),
	CASE(largest, DO(connect, LARGE), DO(largest, 4)),
	CASE(reply_too_long, OPEN(1), MSG(nfs_read, 0, 8192), DO(refused, CHUNK)),
	/* The first READ goes into the Write chunk, the rest into the Reply chunk. */
	CASE(write_and_reply, OPEN(2), MSG(nfs_read, 0, FIRST),
	     MSG(nfs_read, 500, 6000), MSG(write, 0, 8192), MSG(reply, 65536, 65536),
	     DO(answer, RPCRDMA_NOMSG), DO(wrote, FIRST, BOTH),
	     DO(data, 0, 0, FIRST),
	     DO(data, 65536 + BOTH - 6000, 500, 6000)),
	{ NULL }
};
