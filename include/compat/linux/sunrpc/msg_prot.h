/* SPDX-License-Identifier: GPL-2.0-only */
/* An older linux/sunrpc/msg_prot.h does not include what it needs. */
#ifndef RPCRDMA_COMPAT_MSG_PROT_H
#define RPCRDMA_COMPAT_MSG_PROT_H

#include <linux/types.h>
#include_next <linux/sunrpc/msg_prot.h>

#endif /* RPCRDMA_COMPAT_MSG_PROT_H */
