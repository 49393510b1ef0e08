// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: passes arbitrary bytes to the decoder and its cursors.
 *
 * In addition to the sanitizers' checks, three properties are asserted: the view
 * stays inside the message, the cursors find as many entries as the view counts,
 * and encoding the decoded message gives the same bytes.
 */

#include <stdint.h>
#include <stdlib.h>

#include <rpcrdma/conf.h>

#include "codec_vectors.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define check(cond) do { if (!(cond)) abort(); } while (0)

/* Padding is less than the alignment, and does not change header and XID. */
static void check_padding(const struct rpcrdma_hdr *hdr,
			  int (*unpad)(struct rpcrdma_hdr *hdr, void *buf))
{
	struct rpcrdma_hdr bare = *hdr;
	u8 *copy = malloc(hdr->len);

	bare.base = memcpy(copy, hdr->base, hdr->len);
	if (unpad(&bare, copy)) {
		check(bare.payload == hdr->payload &&
		      !memcmp(copy, hdr->base, hdr->len));
	} else {
		check(bare.type == RPCRDMA_MSG && bare.payload >= hdr->payload &&
		      bare.payload - hdr->payload <= hdr->align - 1);
		check(!memcmp(copy, hdr->base, hdr->payload) &&
		      !memcmp(copy + bare.payload, hdr->base + hdr->payload,
			      RPCRDMA_XDR_UNIT));
	}
	free(copy);
}

static bool same_props(const struct rpcrdma_props *a,
		       const struct rpcrdma_props *b)
{
	return a->recv_size == b->recv_size && a->reverse == b->reverse &&
	       a->remote_inv == b->remote_inv &&
	       a->read_replies == b->read_replies && a->htypes == b->htypes;
}

/* Decode each property separately. */
static void check_each_prop(const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_props props, before;
	struct rpcrdma_prop prop;
	struct rpcrdma_cursor cur;
	u32 count = 0;
	int bit;

	rpcrdma_props_default(&props);
	rpcrdma_props_begin(hdr, &cur);
	for (; rpcrdma_props_next(&cur, &prop); count++) {
		check(prop.data >= hdr->base &&
		      prop.data + prop.len <= hdr->base + hdr->len);
		before = props;
		bit = rpcrdma_prop_decode(&props, &prop);
		check(bit > 0 || same_props(&props, &before));
		check(bit == RPCRDMA_EPROP || !(bit & ~RPCRDMA_PROPS_ALL));
	}
	check(count == hdr->props_count);
}

static void check_subset(const struct rpcrdma_hdr *hdr,
			 const struct rpcrdma_subset *subset)
{
	check(subset->words >= hdr->base && subset->words +
	      subset->count * RPCRDMA_XDR_UNIT <= hdr->base + hdr->len);
	check(!rpcrdma_subset_has(subset, 32 * subset->count));
	rpcrdma_subset_is(subset, 0);
}

static void check_props(const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_resprop resp;
	struct rpcrdma_props props;

	switch (hdr->type) {
	case RPCRDMA2_CONNPROP:
		if (!rpcrdma_props_decode(&props, hdr))
			check(!(props.nochange & ~RPCRDMA_PROPS_ALL));
		fallthrough;
	case RPCRDMA2_REQPROP:
	case RPCRDMA2_UPDPROP:
		check_each_prop(hdr);
		break;
	case RPCRDMA2_RESPROP:
		rpcrdma_resprop_get(&resp, hdr);
		check_subset(hdr, &resp.done);
		check_subset(hdr, &resp.rejected);
		check_subset(hdr, &resp.pending);
	}
}

static void fuzz_private(const u8 *data, size_t size)
{
	struct rpcrdma_private priv, again;
	u8 buf[RPCRDMA_PRIVATE_MAX];
	u32 len;

	if (!rpcrdma_private_decode(&priv, data, size))
		return;
	len = rpcrdma_private_encode(&priv, buf);
	check(!memcmp(buf, data, 5) && buf[6] == data[6] && buf[7] == data[7]);
	check(rpcrdma_private_decode(&again, buf, len) &&
	      again.hint == priv.hint);
}

/* Every call gets an answer that the requester can decode. */
static void fuzz_conf(const u8 *data, size_t size)
{
	const struct rpcrdma_conf_res res = { 4096, 4, 16 };
	u8 buf[RPCRDMA_CONF_SIZE];
	struct rpcrdma_conf_res got;
	struct rpcrdma_conf_call call;
	struct rpcrdma_encoder enc;
	__be32 xid = 0;
	int len;

	memcpy(&xid, data, size < sizeof(xid) ? size : sizeof(xid));
	rpcrdma_conf_reply_decode(&got, xid, data, size);
	rpcrdma_conf_call_decode(&call, data, size);
	rpcrdma_encode_init(&enc, buf, sizeof(buf));
	rpcrdma_conf_reply_encode(&enc, &call, &res);
	len = rpcrdma_encode_finish(&enc);
	check(len > 0);
	/* The reply to NULL has no results. */
	if (!call.status && call.proc == RPCRDMA_CONF_NULL)
		return;
	check(!rpcrdma_conf_reply_decode(&got, xid, buf, len) == !call.status);
}

static bool has_lists(const struct rpcrdma_hdr *hdr)
{
	return hdr->type == RPCRDMA_MSG || hdr->type == RPCRDMA_NOMSG ||
	       (hdr->type == RPCRDMA_MSGP && hdr->version == RPCRDMA_VERSION_1);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct rpcrdma_hdr hdr;
	int ret;

	fuzz_private(data, size);
	fuzz_conf(data, size);
	ret = rpcrdma_decode(&hdr, data, size);
	if (hdr.version == RPCRDMA_VERSION_2)
		ret = rpcrdma_decode_v2(&hdr, data, size);
	if (ret)
		return 0;
	check(hdr.payload <= size);
	if (hdr.version == RPCRDMA_VERSION_2)
		check_props(&hdr);
	if (!has_lists(&hdr))
		return 0;
	if (hdr.type == RPCRDMA_MSGP) {
		check_padding(&hdr, rpcrdma_unpad_call);
		check_padding(&hdr, rpcrdma_unpad_reply);
	}
	codec_check(NULL, &hdr);
	return 0;
}

/* KUnit functions for the helpers of the codec's suites: a failure aborts. */
void kunit_fail(struct kunit *test, bool fatal, const char *file, int line,
		const char *fmt, ...)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, fmt);
	abort();
}

void *kunit_kmalloc(struct kunit *test, size_t len, int gfp)
{
	return malloc(len);
}

void kunit_kfree(struct kunit *test, const void *ptr)
{
	free((void *)ptr);
}

void strscpy(char *dst, const char *src, size_t size)
{
}
