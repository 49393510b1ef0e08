// SPDX-License-Identifier: GPL-2.0-only
/* Since 7.1: a thread has separate arrays for the pages of calls and of replies. */
#include <linux/sunrpc/svc.h>

size_t probe = offsetof(struct svc_rqst, rq_pages_nfree);
