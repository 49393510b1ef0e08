/* SPDX-License-Identifier: GPL-2.0-only */
/* RPC messages over TCP, with the record marks of RFC 5531 section 11. */
#ifndef _FUZZ_RECORD_H
#define _FUZZ_RECORD_H

#include <rpcrdma/platform.h>

/**
 * struct records - a connection
 * @fd: socket
 * @buf: bytes of a message received so far, without record marks
 * @size: size of @buf
 * @len: bytes in @buf
 * @mark: bytes of a record mark received so far
 * @nmark: number of bytes in @mark
 * @left: bytes of the fragment that have not arrived
 * @last: it is the last fragment of the message
 */
struct records {
	int fd;
	u8 *buf;
	u32 size;
	u32 len;
	u8 mark[4];
	u32 nmark;
	u32 left;
	bool last;
};

int records_open(struct records *r, const char *host, const char *port,
		 u32 size);
void records_close(struct records *r);
int records_send(struct records *r, const u8 *rpc, u32 len);
int records_next(struct records *r, u32 *len);

#endif /* _FUZZ_RECORD_H */
