/* SPDX-License-Identifier: GPL-2.0-only */
/* Older versions of linux/sunrpc/msg_prot.h do not include linux/types.h, which they need. */
#ifndef RPCRDMA_COMPAT_MSG_PROT_H
#define RPCRDMA_COMPAT_MSG_PROT_H

#include <linux/types.h>
#include_next <linux/sunrpc/msg_prot.h>

#endif /* RPCRDMA_COMPAT_MSG_PROT_H */
