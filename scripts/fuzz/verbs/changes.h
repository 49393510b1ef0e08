/* SPDX-License-Identifier: GPL-2.0-only */
/* Bodies of messages by which properties change, and checks of ours. */
#ifndef _FUZZ_CHANGES_H
#define _FUZZ_CHANGES_H

#include "message.h"
#include "mutate.h"
#include "random.h"

void changes_put_subsets(struct message *m, struct rng *rng);
void changes_put_verdict(struct message *m, u32 count, u32 which);
void changes_put_size(struct message *m, u32 size);
void changes_put_pending(struct message *m, struct rng *rng);
bool changes_understood(const struct rpcrdma_hdr *hdr);
const char *changes_check_update(const struct rpcrdma_hdr *hdr);

#endif /* _FUZZ_CHANGES_H */
