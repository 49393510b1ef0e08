// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the codec makes of version 2 messages, for comparison with the dissector.
 *
 * Reads one message per line, as hexadecimal digits; prints for each 0 or the
 * error of the decoder, the header type, how many Read segments, Write chunks,
 * Reply chunks and properties there are, and whether subsets overlap.
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

static int judge_props(const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_props props;
	struct rpcrdma_prop prop;
	struct rpcrdma_cursor cur;

	if (hdr->type == RPCRDMA2_CONNPROP)
		return rpcrdma_props_decode(&props, hdr);
	rpcrdma_props_default(&props);
	rpcrdma_props_begin(hdr, &cur);
	while (rpcrdma_props_next(&cur, &prop))
		if (rpcrdma_prop_decode(&props, &prop) < 0)
			return RPCRDMA_EPROP;
	return 0;
}

static bool overlaps(const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_resprop resp;
	u32 i, done, rejected, pending, twice = 0;

	if (hdr->type != RPCRDMA2_RESPROP)
		return false;
	rpcrdma_resprop_get(&resp, hdr);
	for (i = 0; i < hdr->len / RPCRDMA_XDR_UNIT; i++) {
		done = rpcrdma_subset_word(&resp.done, i);
		rejected = rpcrdma_subset_word(&resp.rejected, i);
		pending = rpcrdma_subset_word(&resp.pending, i);
		twice |= (done & rejected) | (done & pending) | (rejected & pending);
	}
	return twice;
}

static int judge(struct rpcrdma_hdr *hdr, const u8 *msg, u32 len)
{
	int ret = rpcrdma_decode_v2(hdr, msg, len);

	if (!ret && (hdr->type == RPCRDMA2_CONNPROP ||
		     rpcrdma_v2_changes_props(hdr->type)))
		ret = judge_props(hdr);
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
		printf("%d %u %u %u %u %u %d\n", ret, hdr.type,
		       hdr.reads.segments, hdr.writes.chunks, hdr.reply.chunks,
		       hdr.type == RPCRDMA2_CONNPROP ||
		       hdr.type == RPCRDMA2_REQPROP ? hdr.props_count : 0,
		       !ret && overlaps(&hdr));
		free(msg);
	}
	return 0;
}
