// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the codec makes of version 2 messages, for comparison with the dissector.
 *
 * Reads one message per line, as hexadecimal digits; prints for each 0 or the
 * error of the decoder, the header type, and how many Read segments, Write
 * chunks, Reply chunks and properties there are.
 */
#include <stdio.h>
#include <stdlib.h>

#include <rpcrdma/codec.h>

#define MAX_MESSAGE	65536u

static size_t from_hex(const char *line, u8 *to)
{
	unsigned int byte;
	size_t len = 0;

	while (len < MAX_MESSAGE && sscanf(line + 2 * len, "%2x", &byte) == 1)
		to[len++] = byte;
	return len;
}

static int judge(struct rpcrdma_hdr *hdr, const u8 *msg, u32 len)
{
	struct rpcrdma_props props;
	int ret;

	ret = rpcrdma_decode_prefix(hdr, msg, len);
	if (!ret)
		ret = rpcrdma_v2_decode(hdr);
	if (!ret && hdr->type == RPCRDMA2_CONNPROP)
		ret = rpcrdma_props_decode(&props, hdr);
	return ret;
}

int main(void)
{
	static char line[2 * MAX_MESSAGE + 2];
	struct rpcrdma_hdr hdr;

	while (fgets(line, sizeof(line), stdin)) {
		u8 *msg = malloc(MAX_MESSAGE);
		size_t len;
		int ret;

		if (!msg)
			return 1;
		len = from_hex(line, msg);
		ret = judge(&hdr, msg, len);
		printf("%d %u %u %u %u %u\n", ret, hdr.type, hdr.reads.segments,
		       hdr.writes.chunks, hdr.reply.chunks,
		       hdr.type == RPCRDMA2_CONNPROP ? hdr.props_count : 0);
		free(msg);
	}
	return 0;
}
