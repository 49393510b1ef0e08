// SPDX-License-Identifier: GPL-2.0-only
/* Since 7.1: a thread has one array for the pages of calls, and another for those of replies. */
#include <linux/sunrpc/svc.h>

unsigned long probe(const struct svc_rqst *rqstp);
unsigned long probe(const struct svc_rqst *rqstp)
{
	return rqstp->rq_pages_nfree;
}
