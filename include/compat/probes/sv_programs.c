// SPDX-License-Identifier: GPL-2.0-only
/*
 * Since 6.12: the programs of a service are an array. This probe also stands for older changes:
 * since 6.7, callbacks and transports are queued without a lock; since 6.6, the pages that nfsd has
 * replaced are in a folio batch; since 6.4, xpo_secure_port does not exist. The modules do not
 * compile for a kernel with only some of these changes.
 */
#include <linux/sunrpc/svc.h>

size_t probe = offsetof(struct svc_serv, sv_programs);
