/* SPDX-License-Identifier: GPL-2.0-only */
/* Constants of the RPC header (RFC 5531) that the extensions use. */
#ifndef _RPCRDMA_CODEC_RPC_H
#define _RPCRDMA_CODEC_RPC_H

#include "decode.h"

/* RFC 5531 sections 8.2, 9 and 10.1 */
#define RPC_VERSION		2u
#define RPC_CALL		0u
#define RPC_REPLY		1u
#define RPC_ACCEPTED		0u
#define RPC_SUCCESS		0u
#define RPC_AUTH_NONE		0u
#define RPC_AUTH_SYS		1u
#define RPC_AUTH_MAX		400u

#endif /* _RPCRDMA_CODEC_RPC_H */
