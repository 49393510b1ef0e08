// SPDX-License-Identifier: GPL-2.0-only
/*
 * A version 2 server that answers calls before it has received them: a client
 * numbers them one after the other, so it can guess their XIDs.
 */

#include <arpa/inet.h>

#include "responder.h"

/* NFS3ERR_IO, NFS4ERR_IO */
#define NFS_IO		5u
/* Answers per round of the main loop */
#define STORM		16u
/* XIDs, from the last one on, that these are for */
#define STORM_XIDS	8u

/*
 * Answer a call that may not have been sent: junk; or an I/O error of NFS, which NFS does
 * not remember (results that it believes would disturb it later, too); or mostly a demand
 * to send it in another form, with the same XID.
 */
static void answer(struct link *link, u32 xid, struct rng *rng)
{
	u32 i, kind = rng_below(rng, 4);
	struct message m;

	message_control(&m, xid, RPCRDMA2_ERROR, RPCRDMA2_F_RESPONSE);
	m.credits = EARLY_CREDITS;
	if (kind == 0) {
		m.wire_version = rng_word(rng);
		for (i = 0; i < 12; i++)
			message_word(&m, rng_word(rng));
	} else if (kind == 1) {
		m.type = RPCRDMA2_MSG;
		m.lists = true;
		message_put(&m, xid);
		message_put(&m, 1);
		message_puts(&m, 4, 0);
		message_put(&m, NFS_IO);
		message_puts(&m, 23, 0);
	} else {
		message_word(&m, RPCRDMA2_ERR_SEGMENTS);
		message_word(&m, 1);
	}
	link_post(link, &m);
}

bool early_storms(const struct responder *r)
{
	return r->refuse == REFUSE_EARLY && !r->calm;
}

/* Answer calls that the client is about to send, as fast as possible. */
void early_due(struct responder *r, struct link *link)
{
	struct rng rng;
	u32 i, xid;

	if (!early_storms(r) || !link->data)
		return;
	responder_rng(r, &rng);
	for (i = 0; i < STORM && !link->gone && !r->calm; i++) {
		xid = ntohl(htonl(link->last_xid) + rng_below(&rng, STORM_XIDS));
		answer(link, xid, &rng);
		r->refused++;
	}
}
