// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sizes of Receives follow the traffic (version 2): which requests of a
 * requester's are granted, when it is asked for larger Receives, and when ours
 * become smaller again.
 *
 * Operation: larger Receives spare chunks, but each takes memory, whether it is
 * used or not. So a connection has them only while its traffic gains from that.
 *
 * The requester asks for larger Receives of ours, since it knows which of its
 * calls would gain. That is granted up to a maximum, and as long as those of
 * all connections together take less than receive_buffers_total. If no message
 * is longer than their first size for a whole interval, or memory is short, they
 * have that size again.
 *
 * We ask the requester for larger Receives if replies would have been inline
 * then. It decides, and it makes them smaller again.
 *
 * Sizes change at most once per interval, and a requester that has rejected a
 * request is not asked for some time. So neither side changes back and forth
 * all the time, and a connection that is not tuned has no timer.
 *
 * Ownership: a connection is charged for as many Receives as it can ever have,
 * before they grow, until they have their first size again, or it ends. It is
 * closed if its requester leaves a request unanswered meanwhile.
 */

#include <linux/shrinker.h>

#include "../limits.h"
#include "../message/message.h"
#include "../tunables.h"
#include "../verbs/verbs.h"
#include "../version/version.h"
#include "control.h"

/* A rejected request is repeated after that many intervals. */
#define SVC_RDMA_TUNING_PATIENCE	8u

/* Time after memory was short in which nothing grows */
#define SVC_RDMA_TUNING_PRESSURE	(10 * HZ)

static struct shrinker *svc_rdma_shrinker;

/* Protects the list, the sum of its charges, and the time. */
static DEFINE_SPINLOCK(svc_rdma_tuned_lock);
static LIST_HEAD(svc_rdma_tuned);
static u64 svc_rdma_tuned_bytes;
static unsigned long svc_rdma_pressed_until;

static unsigned long svc_rdma_tuning_period(void)
{
	return msecs_to_jiffies(clamp(READ_ONCE(svc_rdma_tuning_interval), 10u,
				      3600000u));
}

/* A buffer of several pages is allocated in pages. */
static u64 svc_rdma_tuning_cost(const struct svc_rdma_conn *conn, u32 size)
{
	if (size <= conn->sizes.recv_base)
		return 0;
	return (u64)svc_rdma_recvs_for(conn->credits.max) *
	       (PAGE_ALIGN(size) - conn->sizes.recv_base);
}

/* A higher charge has to be within the bound. */
static bool svc_rdma_tuning_charge(struct svc_rdma_conn *conn, u64 charge)
{
	struct svc_rdma_tuning *tuning = &conn->tuning;
	u64 others;
	bool ok;

	spin_lock(&svc_rdma_tuned_lock);
	WARN_ON_ONCE(svc_rdma_tuned_bytes < tuning->charge);
	others = svc_rdma_tuned_bytes - tuning->charge;
	ok = charge <= tuning->charge ||
	     (others + charge <= READ_ONCE(svc_rdma_receive_buffers_total) &&
	      time_after_eq(jiffies, svc_rdma_pressed_until));
	if (ok) {
		svc_rdma_tuned_bytes = others + charge;
		tuning->charge = charge;
		list_del_init(&tuning->entry);
		if (charge)
			list_add_tail(&tuning->entry, &svc_rdma_tuned);
		else
			tuning->pressed = false;
	}
	spin_unlock(&svc_rdma_tuned_lock);
	return ok;
}

/* @grant of struct svc_rdma_size_ops */
static u32 svc_rdma_tuning_grant(struct svc_rdma_conn *conn, u32 size)
{
	struct svc_rdma_tuning *tuning = &conn->tuning;
	unsigned long period = svc_rdma_tuning_period();

	if (size > min(READ_ONCE(svc_rdma_receive_buffer_max),
		       SVC_RDMA_SEND_MAX) ||
	    time_before(jiffies, tuning->grant_after))
		return 0;
	size = round_up(size, RPCRDMA_XDR_UNIT);
	if (!svc_rdma_tuning_charge(conn, svc_rdma_tuning_cost(conn, size)))
		return 0;
	WRITE_ONCE(tuning->recv_longest, size);
	tuning->look_after = jiffies + period;
	mod_delayed_work(svc_rdma_wq, &tuning->work, period);
	return size;
}

/* What version/ asks about sizes */
const struct svc_rdma_size_ops svc_rdma_size_ops = {
	.grant	= svc_rdma_tuning_grant,
};

/* The smallest Receives into which most of the long replies would have fit */
static u32 svc_rdma_tuning_wanted(const struct svc_rdma_tuning *tuning)
{
	u32 step = SVC_RDMA_TUNING_STEPS - 1, above = 0;

	while (step) {
		above += tuning->long_replies[step];
		if (above > tuning->long_total / 4)
			break;
		step--;
	}
	return min(svc_rdma_tuning_step(step), READ_ONCE(tuning->ask_max));
}

static void svc_rdma_tuning_ask(struct svc_rdma_conn *conn)
{
	struct svc_rdma_tuning *tuning = &conn->tuning;
	unsigned long period = svc_rdma_tuning_period();
	int ret;

	tuning->ask_after = jiffies + period;
	ret = svc_rdma_change_ask_locked(conn, svc_rdma_tuning_wanted(tuning));
	if (ret == -EOPNOTSUPP)
		WRITE_ONCE(tuning->ask_max, 0);
	else if (!ret)
		svc_rdma_count(changes_asked);
}

/* Replies are counted for a period at most: only what is frequent counts. */
static void svc_rdma_tuning_look_at_replies(struct svc_rdma_conn *conn)
{
	struct svc_rdma_tuning *tuning = &conn->tuning;
	unsigned long period = svc_rdma_tuning_period();
	bool recent = time_before(jiffies, tuning->long_since + period);

	if (conn->change.refused) {
		conn->change.refused = false;
		svc_rdma_count(changes_refused);
		tuning->ask_after = jiffies + SVC_RDMA_TUNING_PATIENCE * period;
	}
	if (recent && tuning->long_total < SVC_RDMA_TUNING_REPLIES)
		return;
	if (recent && !time_before(jiffies, tuning->ask_after))
		svc_rdma_tuning_ask(conn);
	memset(tuning->long_replies, 0, sizeof(tuning->long_replies));
	tuning->long_total = 0;
	tuning->long_since = jiffies;
}

/*
 * Receives that are too large by one step only keep their size: it is likely
 * that they are needed again.
 */
static void svc_rdma_tuning_look_at_calls(struct svc_rdma_conn *conn)
{
	struct svc_rdma_tuning *tuning = &conn->tuning;
	unsigned long period = svc_rdma_tuning_period();
	bool used = READ_ONCE(tuning->recv_longest) > conn->sizes.recv_base;

	if (!READ_ONCE(tuning->pressed)) {
		if (time_before(jiffies, tuning->look_after))
			return;
		tuning->look_after = jiffies + period;
		WRITE_ONCE(tuning->recv_longest, 0);
		if (used)
			return;
	}
	if (svc_rdma_change_shrink_locked(conn, conn->sizes.recv_base))
		tuning->grant_after = jiffies + period;
}

/* Receives that have become smaller again, or did not grow, cost less. */
static void svc_rdma_tuning_recharge(struct svc_rdma_conn *conn)
{
	if (conn->change.state == SVC_RDMA_SIZE_STEADY)
		svc_rdma_tuning_charge(conn,
				       svc_rdma_tuning_cost(conn,
							    conn->change.told));
}

/*
 * Receives that cannot become smaller while the connection exists would be
 * charged for as long as the requester likes.
 */
static void svc_rdma_tuning_end_stuck(struct svc_rdma_conn *conn)
{
	if (svc_rdma_change_stuck_locked(conn))
		svc_rdma_conn_close(conn, SVC_RDMA_CAUSE(PROTOCOL, PROPERTIES));
}

static void svc_rdma_tuning_work(struct work_struct *work)
{
	struct svc_rdma_tuning *tuning =
		container_of(work, struct svc_rdma_tuning, work.work);
	struct svc_rdma_conn *conn =
		container_of(tuning, struct svc_rdma_conn, tuning);
	unsigned long period = svc_rdma_tuning_period();

	if (svc_rdma_conn_closing(conn))
		return;
	mutex_lock(&conn->change.mutex);
	svc_rdma_tuning_look_at_replies(conn);
	if (tuning->charge) {
		svc_rdma_tuning_look_at_calls(conn);
		svc_rdma_tuning_recharge(conn);
	}
	if (tuning->charge) {
		svc_rdma_tuning_end_stuck(conn);
		mod_delayed_work(svc_rdma_wq, &tuning->work, period);
	}
	mutex_unlock(&conn->change.mutex);
}

static unsigned long svc_rdma_tuning_count(struct shrinker *shrinker,
					   struct shrink_control *sc)
{
	return READ_ONCE(svc_rdma_tuned_bytes) >> PAGE_SHIFT;
}

/* The memory is freed later, by work items. */
static unsigned long svc_rdma_tuning_scan(struct shrinker *shrinker,
					  struct shrink_control *sc)
{
	struct svc_rdma_tuning *tuning;
	unsigned long pages = 0;

	spin_lock(&svc_rdma_tuned_lock);
	svc_rdma_pressed_until = jiffies + SVC_RDMA_TUNING_PRESSURE;
	list_for_each_entry(tuning, &svc_rdma_tuned, entry) {
		if (pages >= sc->nr_to_scan)
			break;
		if (tuning->pressed)
			continue;
		WRITE_ONCE(tuning->pressed, true);
		pages += tuning->charge >> PAGE_SHIFT;
		mod_delayed_work(svc_rdma_wq, &tuning->work, 0);
	}
	spin_unlock(&svc_rdma_tuned_lock);
	return pages ?: SHRINK_STOP;
}

/**
 * svc_rdma_tuning_set_limits - decide whether a connection is tuned
 * @conn: connection that is being accepted
 *
 * Context: process.
 */
void svc_rdma_tuning_set_limits(struct svc_rdma_conn *conn)
{
	conn->change.enabled = READ_ONCE(svc_rdma_tuning_on);
	if (conn->change.enabled)
		conn->tuning.ask_max =
			min(READ_ONCE(svc_rdma_receive_buffer_max),
			    SVC_RDMA_SEND_MAX);
}

/**
 * svc_rdma_tuning_begin - initialize what tunes a connection
 * @conn: new connection
 *
 * Context: process.
 */
void svc_rdma_tuning_begin(struct svc_rdma_conn *conn)
{
	struct svc_rdma_tuning *tuning = &conn->tuning;

	conn->sizes.ops = &svc_rdma_size_ops;
	INIT_DELAYED_WORK(&tuning->work, svc_rdma_tuning_work);
	INIT_LIST_HEAD(&tuning->entry);
	tuning->long_since = jiffies;
	tuning->ask_after = jiffies;
	tuning->look_after = jiffies;
	tuning->grant_after = jiffies;
}

/**
 * svc_rdma_tuning_stop - stop tuning a connection, and return its charge
 * @conn: connection on which no message is handled any more
 *
 * Context: process; waits for the work item.
 */
void svc_rdma_tuning_stop(struct svc_rdma_conn *conn)
{
	/* The work item may charge, and others may queue it: both end here. */
	disable_delayed_work_sync(&conn->tuning.work);
	svc_rdma_tuning_charge(conn, 0);
}

/**
 * svc_rdma_tuning_init - be told when memory is short
 *
 * Context: module initialization.
 * Return: 0 or -ENOMEM.
 */
int svc_rdma_tuning_init(void)
{
	svc_rdma_pressed_until = jiffies;
	svc_rdma_shrinker = shrinker_alloc(0, "svc_rdma_receives");
	if (!svc_rdma_shrinker)
		return -ENOMEM;
	svc_rdma_shrinker->count_objects = svc_rdma_tuning_count;
	svc_rdma_shrinker->scan_objects = svc_rdma_tuning_scan;
	shrinker_register(svc_rdma_shrinker);
	return 0;
}

/**
 * svc_rdma_tuning_exit - undo svc_rdma_tuning_init()
 *
 * Context: module exit.
 */
void svc_rdma_tuning_exit(void)
{
	shrinker_free(svc_rdma_shrinker);
	WARN_ON_ONCE(svc_rdma_tuned_bytes);
}
