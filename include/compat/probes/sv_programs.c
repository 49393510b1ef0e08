// SPDX-License-Identifier: GPL-2.0-only
/*
 * Since 6.12: the programs of a service are an array. Stands for older changes of the same structs:
 * since 6.7, callbacks and transports are queued without a lock; since 6.6, pages that nfsd has
 * replaced are in a batch of folios; since 6.4, a transport is not asked about the peer's port. A
 * kernel with only some of these does not compile.
 */
#include <linux/sunrpc/svc.h>

size_t probe = offsetof(struct svc_serv, sv_programs);
