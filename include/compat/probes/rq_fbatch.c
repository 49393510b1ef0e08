// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.6: pages that nfsd has replaced are in a batch of folios. */
#include <linux/sunrpc/svc.h>

unsigned int probe(const struct svc_rqst *rqstp);
unsigned int probe(const struct svc_rqst *rqstp)
{
	return folio_batch_count(&rqstp->rq_fbatch);
}
