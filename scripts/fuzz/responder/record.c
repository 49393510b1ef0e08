// SPDX-License-Identifier: GPL-2.0-only
/* A TCP connection to the real server, one RPC message at a time. */

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "record.h"

#define LAST_FRAGMENT	0x80000000u

int records_open(struct records *r, const char *host, const char *port,
		 u32 size)
{
	struct addrinfo *info;
	int ret, on = 1;

	memset(r, 0, sizeof(*r));
	r->fd = -1;
	r->size = size;
	r->buf = malloc(size);
	if (!r->buf || getaddrinfo(host, port, NULL, &info))
		return -1;
	r->fd = socket(info->ai_family, SOCK_STREAM, 0);
	ret = connect(r->fd, info->ai_addr, info->ai_addrlen);
	freeaddrinfo(info);
	/* The record mark and its message are sent separately. */
	setsockopt(r->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return ret;
}

void records_close(struct records *r)
{
	if (r->fd >= 0)
		close(r->fd);
	free(r->buf);
	r->fd = -1;
	r->buf = NULL;
}

static int send_all(int fd, const u8 *p, u32 len)
{
	ssize_t n;

	for (; len; p += n, len -= n) {
		n = send(fd, p, len, MSG_NOSIGNAL);
		if (n <= 0)
			return -1;
	}
	return 0;
}

int records_send(struct records *r, const u8 *rpc, u32 len)
{
	u8 mark[4];

	put_unaligned_be32(len | LAST_FRAGMENT, mark);
	return send_all(r->fd, mark, sizeof(mark)) || send_all(r->fd, rpc, len);
}

/* Receive up to @want bytes. Return: number of bytes, 0 if there are none. */
static int take(struct records *r, u8 *p, u32 want)
{
	ssize_t n = recv(r->fd, p, want, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return n > 0 ? n : -1;
}

static int take_mark(struct records *r)
{
	int n = take(r, r->mark + r->nmark, sizeof(r->mark) - r->nmark);
	u32 mark;

	if (n <= 0)
		return n;
	r->nmark += n;
	if (r->nmark < sizeof(r->mark))
		return n;
	mark = get_unaligned_be32(r->mark);
	r->last = mark & LAST_FRAGMENT;
	r->left = mark & ~LAST_FRAGMENT;
	return r->left > r->size - r->len ? -1 : n;
}

/* Return: 1 if there is a message in @r->buf, 0 if not, -1 after an error. */
int records_next(struct records *r, u32 *len)
{
	int n;

	for (;;) {
		if (r->nmark < sizeof(r->mark)) {
			n = take_mark(r);
		} else {
			n = take(r, r->buf + r->len, r->left);
			if (n > 0) {
				r->len += n;
				r->left -= n;
			}
		}
		if (n <= 0)
			return n;
		if (r->nmark < sizeof(r->mark) || r->left)
			continue;
		r->nmark = 0;
		if (!r->last)
			continue;
		*len = r->len;
		r->len = 0;
		return 1;
	}
}
