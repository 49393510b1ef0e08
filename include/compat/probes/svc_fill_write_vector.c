// SPDX-License-Identifier: GPL-2.0-only
/* Until 6.15: nfsd builds kvecs from the data of a WRITE. */
#include <linux/sunrpc/svc.h>

void *probe = svc_fill_write_vector;
