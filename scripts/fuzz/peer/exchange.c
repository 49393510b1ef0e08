// SPDX-License-Identifier: GPL-2.0-only
/* Steps that send messages, and check the answers. */

#include "peer.h"

/* Milliseconds after which a server on iWARP may have missed a message */
#define WAKE	200

static u32 word(const u8 *p)
{
	return get_unaligned_be32(p);
}

static const u8 *rpc_reply(const struct peer *p)
{
	return p->reply + p->hdr.payload;
}

static u32 rpc_len(const struct peer *p)
{
	return p->reply_len - p->hdr.payload;
}

static int start(struct peer *p, enum ibv_wr_opcode opcode, u32 extra)
{
	u8 *slot = endpoint_slot(&p->s.ep, PEER_TIMEOUT);

	return slot ? session_send(&p->s, slot, message_encode(&p->m, slot), opcode,
				   extra) : -1;
}

/* Send the message, and wait until it has arrived. */
int peer_post(struct peer *p, enum ibv_wr_opcode opcode, u32 extra)
{
	TRY(start(p, opcode, extra));
	CHECK(endpoint_until(&p->s.ep, PEER_TIMEOUT, !p->s.ep.busy) &&
	      !p->s.ep.dead, "the Send does not complete");
	return 0;
}

/*
 * siw does not process a message that arrives just after it has accepted until
 * more data arrives: an RDMA Write without data is enough.
 */
static void wake_server(struct peer *p)
{
	const struct rpcrdma_segment none = { 0 };

	if (p->s.id->verbs->device->transport_type == IBV_TRANSPORT_IWARP)
		endpoint_rdma(&p->s.ep, IBV_WR_RDMA_WRITE, NULL, p->s.ep.mr, &none);
}

/* Wait for a message, and decode its header. */
int peer_wait(struct peer *p, int ms)
{
	struct endpoint *ep = &p->s.ep;
	struct received got;
	int waited;

	for (waited = 0; waited < ms; waited += WAKE) {
		if (endpoint_until(ep, ms < WAKE ? ms : WAKE, ep->queued))
			break;
		wake_server(p);
	}
	if (!endpoint_take(ep, &got)) {
		p->why = ep->dead ? "connection lost" : "no answer";
		return -1;
	}
	p->reply = got.buf;
	p->reply_len = got.len;
	CHECK(!message_decode(&p->hdr, got.buf, got.len),
	      "the answer's header cannot be decoded");
	return p->deaf ? 0 : endpoint_recv(ep, got.slot);
}

/* send: send without waiting, even if the message cannot arrive */
STEP(send)
{
	return start(p, IBV_WR_SEND, 0);
}

STEP(post)
{
	return peer_post(p, IBV_WR_SEND, 0);
}

/* expect: wait for an answer of type @a[0] */
STEP(expect)
{
	TRY(peer_wait(p, PEER_TIMEOUT));
	CHECK(word(p->reply) == p->s.xid, "the answer's XID is another one");
	CHECK(p->hdr.version == p->s.version, "the answer's version");
	CHECK(p->hdr.flags == (p->s.version == RPCRDMA_VERSION_2 ?
			       RPCRDMA2_F_RESPONSE : 0), "the answer's flags");
	CHECK(p->hdr.credits > 0, "a grant of 0 credits");
	CHECK(p->hdr.type == st->a[0], "the answer's type");
	return 0;
}

/* answer: send, and expect an answer of type @a[0] */
STEP(answer)
{
	TRY(do_post(p, st));
	return do_expect(p, st);
}

/* error: send, and expect error @a[0], with the value @a[1] if that is not 0 */
STEP(error)
{
	const struct step expect = DO(expect, RPCRDMA_ERROR);

	TRY(do_post(p, st));
	TRY(do_expect(p, &expect));
	CHECK(p->hdr.err == st->a[0], "another error code");
	CHECK(!st->a[1] || p->hdr.err_value == st->a[1],
	      "another count or length");
	if (p->s.version == RPCRDMA_VERSION_1 && st->a[0] == RPCRDMA_ERR_VERS &&
	    p->m.version == RPCRDMA_VERSION_1)
		CHECK(p->hdr.err_index == 1 && p->hdr.err_value == 2,
		      "not versions 1 to 2");
	return 0;
}

/* refused: like error, and the connection survives */
STEP(refused)
{
	TRY(do_error(p, st));
	return do_ping(p, st);
}

/* Expect the header of a successful RPC reply. */
int check_rpc(struct peer *p, const u8 *rpc, u32 len)
{
	CHECK(len >= 24, "the RPC reply is too short");
	CHECK(word(rpc + 4) == 1 && word(rpc + 8) == 0, "not accepted");
	CHECK(word(rpc + 20) == 0, "no success");
	return 0;
}

/* ok: send, and expect a successful inline reply */
STEP(ok)
{
	const struct step expect = DO(expect, RPCRDMA_MSG);

	TRY(do_post(p, st));
	TRY(do_expect(p, &expect));
	return check_rpc(p, rpc_reply(p), rpc_len(p));
}

/* ping: check that the server still works */
STEP(ping)
{
	static const u32 msg[] = { RPCRDMA_MSG, 0 };

	if (p->s.version == RPCRDMA_VERSION_2)
		build_v2(p, msg);
	else
		build_v1(p, msg);
	build_null(p, NULL);
	return do_ok(p, st);
}

/* flood: send the message @a[0] times, then expect as many answers of type @a[1] */
STEP(flood)
{
	const struct step expect = DO(expect, st->a[1]);
	u32 i;

	for (i = 0; i < st->a[0]; i++)
		TRY(do_post(p, st));
	for (i = 0; i < st->a[0]; i++)
		TRY(do_expect(p, &expect));
	return 0;
}

/* header: see HDR() */
STEP(header)
{
	u32 value;

	memcpy(&value, (u8 *)&p->hdr + st->a[0], sizeof(value));
	CHECK(value == st->a[1], st->text);
	return 0;
}

/* wrote: the server wrote @a[0] bytes into Write chunks, and @a[1] into the Reply chunk */
STEP(wrote)
{
	CHECK(p->hdr.writes.bytes == st->a[0] && p->hdr.reply.bytes == st->a[1],
	      "the length of a chunk");
	return 0;
}

/* rpc: word @a[0] of the RPC reply is @a[1] */
STEP(rpc)
{
	CHECK(rpc_len(p) >= 4 * (st->a[0] + 1), "the RPC reply is too short");
	CHECK(word(rpc_reply(p) + 4 * st->a[0]) == st->a[1],
	      "another word in the RPC reply");
	return 0;
}

/* Check a COMPOUND's status, tag, and number of results. */
int check_compound(struct peer *p, const u8 *rpc, u32 ops)
{
	const u8 *res = rpc + 24;
	u32 len = strlen(RPC_TAG);

	CHECK(word(res) == 0, "another NFS status");
	CHECK(word(res + 4) == len, "the tag's length");
	CHECK(!memcmp(res + 8, RPC_TAG, len), "the tag");
	CHECK(word(res + 8 + rpcrdma_xdr_align(len)) == ops,
	      "the number of results");
	return 0;
}

/* compound: the inline reply has @a[0] results */
STEP(compound)
{
	return check_compound(p, rpc_reply(p), st->a[0]);
}

/* Check @len bytes of the file, from @offset on. */
int check_data(struct peer *p, const u8 *data, u32 offset, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		CHECK(data[i] == file_byte(offset + i), "wrong data");
	return 0;
}

/* data: memory at @a[0] has @a[2] bytes of the file from @a[1] on */
STEP(data)
{
	return check_data(p, p->s.mem.sink + st->a[0], st->a[1], st->a[2]);
}
