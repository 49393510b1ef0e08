// SPDX-License-Identifier: GPL-2.0-only
/* Since 7.1: a thread has one array for the pages of calls, and another for those of replies. */
#include <linux/sunrpc/svc.h>

size_t probe = offsetof(struct svc_rqst, rq_pages_nfree);
