/* SPDX-License-Identifier: GPL-2.0-only */
/* The echo program: an RPC service and client to test both transports. */
#ifndef _RPCRDMA_KUNIT_ECHO_H
#define _RPCRDMA_KUNIT_ECHO_H

#include <linux/completion.h>
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/svc.h>
#include <linux/types.h>
#include <rpcrdma/kunit.h>

#include "suite.h"

/* From the range that RFC 5531 section 8.2 reserves for transient use */
#define ECHO_PROGRAM	0x40005666
#define ECHO_VERSION	1
#define ECHO_PORT	20666
#define ECHO_MAX	(1024u * 1024u)
#define ECHO_BULK_MAX	(4u * ECHO_MAX)
#define ECHO_BULK_SEED	0xb01du
#define ECHO_CANARY	0xee
/* A page minus the RPC and XDR headers */
#define ECHO_TEXT_MAX	(PAGE_SIZE - 28u)

/*
 * @ECHO_PROC_NULL: does nothing
 * @ECHO_PROC_SINK: takes a seed and data; returns how many leading bytes of the
 *	data match the seed's pattern
 * @ECHO_PROC_SOURCE: takes a seed and a length; returns that many bytes of the
 *	pattern
 * @ECHO_PROC_CALLBACK: takes a number and a length; the service makes that many
 *	SINK calls of that length over the caller's connection, and returns how
 *	many of them succeeded
 * @ECHO_PROC_TEXT: like SOURCE, up to ECHO_TEXT_MAX bytes, which are not
 *	eligible for direct placement
 * @ECHO_PROC_RECALL: like CALLBACK, with TEXT calls
 * @ECHO_PROC_BULK: like SOURCE, with the seed ECHO_BULK_SEED and up to
 *	ECHO_BULK_MAX bytes, more than a thread of the service has pages for
 * @ECHO_PROC_DROP: does nothing and sends no reply
 * @ECHO_PROC_DROPS: like CALLBACK, with DROP calls and a length of 0; returns
 *	how many of them were not answered
 */
enum echo_proc {
	ECHO_PROC_NULL,
	ECHO_PROC_SINK,
	ECHO_PROC_SOURCE,
	ECHO_PROC_CALLBACK,
	ECHO_PROC_TEXT,
	ECHO_PROC_RECALL,
	ECHO_PROC_BULK,
	ECHO_PROC_DROP,
	ECHO_PROC_DROPS,
	ECHO_PROCS,
};

/* A call and its result */
struct echo_call {
	enum echo_proc proc;
	u32 seed;		/* seed of the pattern */
	u32 length;		/* bytes of data in the call (SINK) or requested (SOURCE) */
	u32 room;		/* largest data, in bytes, that the caller of SOURCE can receive */
	bool ddp;	/* the data is eligible for direct placement, in a Read or Write chunk */
	u32 returned;		/* SINK: bytes that matched; SOURCE: bytes of data received */
	struct page **pages;	/* the data */
	unsigned int npages;	/* entries of @pages */
};

/* echo_pattern.c */
void echo_fill(void *buf, unsigned int len, u32 seed, unsigned int offset);
unsigned int echo_match(const void *buf, unsigned int len, u32 seed,
			unsigned int offset);

/* echo_pause.c */
void echo_pause_begin(void);
unsigned int echo_pause_end(void);

/* echo_service.c */
extern struct svc_program echo_service_program;
extern unsigned int echo_service_ms;	/* minimum duration of a call, in ms */
int echo_service_thread(void *data);
int echo_service_start(void);
void echo_service_stop(void);
void echo_service_disconnect(void);
u32 echo_service_dropped(void);

/* echo_callback.c */
struct rpc_xprt *echo_xprt(struct rpc_clnt *clnt);
u32 echo_callback_run(struct svc_rqst *rqstp, enum echo_proc proc, u32 count,
		      u32 length);
int echo_callback_start(struct rpc_clnt *clnt);
void echo_callback_stop(struct rpc_clnt *clnt);

/* echo_suite.c */
extern struct rpc_clnt *echo_clnt;
int echo_init(struct kunit_suite *suite);
void echo_exit(struct kunit_suite *suite);
struct rpc_clnt *echo_connect(void);
struct echo_call *echo_new_call(struct kunit *test, enum echo_proc proc,
				u32 length, bool ddp);
void echo_serve_callbacks(struct kunit *test);
void echo_callbacks_run(struct kunit *test, enum echo_proc proc, u32 count,
			u32 length);
unsigned long echo_connections(void);

struct echo_member {
	struct echo_batch *batch;
	struct rpc_clnt *clnt;		/* caller: echo_clnt by default */
	struct echo_call *call;
};

/* Calls that are made at the same time */
struct echo_batch {
	atomic_t left;			/* number of calls that have not completed */
	struct completion done;		/* all calls have completed */
	atomic_t failed;		/* number of calls without a result */
	atomic_t wrong;			/* number of calls with a wrong result */
	u32 count;			/* number of calls */
	struct echo_member members[] __counted_by(count);
};

/* echo_batch.c */
struct echo_batch *
echo_batch_create(struct kunit *test, u32 count,
		  struct echo_call *(*new_call)(struct kunit *test, u32 i));
void echo_batch_start(struct echo_batch *batch);
void echo_batch_wait(struct echo_batch *batch);
void echo_batch_finish(struct kunit *test, struct echo_batch *batch);
void echo_batch_set_canary(struct echo_batch *batch);
bool echo_batch_untouched(const struct echo_batch *batch);

/* echo_client.c */
extern const struct rpc_program echo_client_program;
struct rpc_clnt *echo_client_create(const char *addr);
struct echo_call *echo_call_alloc(enum echo_proc proc, u32 length, bool ddp);
void echo_call_free(struct echo_call *call);
bool echo_call_good(const struct echo_call *call);
int echo_call_sync(struct rpc_clnt *clnt, struct echo_call *call);
int echo_call_async(struct rpc_clnt *clnt, struct echo_call *call,
		    const struct rpc_call_ops *ops, void *data);

#endif /* _RPCRDMA_KUNIT_ECHO_H */
