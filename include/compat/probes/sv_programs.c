// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.12: the programs of a service are an array. */
#include <linux/sunrpc/svc.h>

unsigned int probe(const struct svc_serv *serv);
unsigned int probe(const struct svc_serv *serv)
{
	return serv->sv_programs[serv->sv_nprogs - 1].pg_prog;
}
