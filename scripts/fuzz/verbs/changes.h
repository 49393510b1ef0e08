/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes of properties: random messages, answers, and checks of the other side's. */
#ifndef _FUZZ_CHANGES_H
#define _FUZZ_CHANGES_H

#include "mutate.h"

/* What becomes of all properties of a request */
enum changes_verdict {
	CHANGES_DONE,
	CHANGES_REJECTED,
	CHANGES_PENDING,
};

/* What both sides of a connection know */
struct changes {
	/* the other side may have been told that changes are understood */
	bool understood;
	bool asked;	/* a request of the other side is not answered */
	u32 xid;	/* XID of the last one */
	u32 count;	/* number of properties in it */
};

void changes_understand(struct message *m, u32 octets);
void changes_random(const struct changes *ch, struct message *m, u32 type,
		    struct rng *rng);
void changes_answer(struct changes *ch, struct message *m,
		    enum changes_verdict verdict);
bool changes_wrong_answer(struct changes *ch, struct message *m, struct rng *rng);
void changes_sent(struct changes *ch, const struct rpcrdma_hdr *hdr);
const char *changes_received(struct changes *ch, const struct rpcrdma_hdr *hdr);
const char *changes_judge(const struct rpcrdma_hdr *answer, u32 count);

#endif /* _FUZZ_CHANGES_H */
