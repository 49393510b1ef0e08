// SPDX-License-Identifier: GPL-2.0-only
/* Helpers of the cases: exchanges, and checks of the replies. */

#include "peer.h"

u8 body_byte(u32 i)
{
	return i * 7 % 251;
}

void put_lists(struct peer *p)
{
	put32(p, 0);
	put32(p, 0);
	put32(p, 0);
}

void put_null(struct peer *p)
{
	put_call(p, 100003, 4, 0);
}

/* Send the message that was built, and wait for its reply. */
int exchange(struct peer *p)
{
	TRY(peer_post(p));
	TRY(peer_wait(p));
	CHECK(word(p->reply) == last_xid(), "the answer's XID is another one");
	CHECK(p->hdr.version == RPCRDMA_VERSION_1, "the answer's version");
	CHECK(p->hdr.credits > 0, "a grant of 0 credits");
	return 0;
}

int expect_error(struct peer *p, u32 code)
{
	TRY(exchange(p));
	CHECK(p->hdr.type == RPCRDMA_ERROR, "not an RDMA_ERROR");
	CHECK(p->hdr.err == code, "another error code");
	if (code == RPCRDMA_ERR_VERS)
		CHECK(p->hdr.vers_low == 1 && p->hdr.vers_high == 2,
		      "not versions 1 to 2");
	return 0;
}

/* Expect the header of an RPC reply: accepted, success. */
int check_rpc(struct peer *p, const u8 *rpc, u32 len)
{
	CHECK(len >= 24, "the RPC reply is too short");
	CHECK(word(rpc + 4) == 1 && word(rpc + 8) == 0, "not accepted");
	CHECK(word(rpc + 20) == 0, "no success");
	return 0;
}

const u8 *rpc_reply(const struct peer *p)
{
	return p->reply + p->hdr.payload;
}

int expect_msg(struct peer *p)
{
	TRY(exchange(p));
	CHECK(p->hdr.type == RPCRDMA_MSG, "not an RDMA_MSG");
	return check_rpc(p, rpc_reply(p), p->reply_len - p->hdr.payload);
}

/* The COMPOUND's status, its tag, and its number of results. */
int check_compound(struct peer *p, const u8 *rpc, const char *tag,
		   u32 status, u32 ops)
{
	const u8 *res = rpc + 24;
	u32 len = strlen(tag);

	CHECK(word(res) == status, "another NFS status");
	CHECK(word(res + 4) == len, "the tag's length");
	CHECK(!memcmp(res + 8, tag, len), "the tag");
	CHECK(word(res + 8 + ((len + 3) & ~3u)) == ops,
	      "the number of results");
	return 0;
}

/* Check that the server still works. */
int ping(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_lists(p);
	put_null(p);
	return expect_msg(p);
}

int ping_after_error(struct peer *p, u32 code)
{
	TRY(expect_error(p, code));
	return ping(p);
}
