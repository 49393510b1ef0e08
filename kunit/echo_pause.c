// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures how long calls were not answered, minus the time in which the
 * machine did not run: a guest on a busy host may get no processor for a
 * second. A timer on each processor detects this by expiring late. Waiting
 * tasks do not delay the timer.
 */

#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/timer.h>

#include "echo.h"

struct echo_beat {
	struct timer_list timer;
	ktime_t last;
	s64 longest;	/* longest time between two beats, in milliseconds */
};

static DEFINE_PER_CPU(struct echo_beat, beats);
static ktime_t begun;

static s64 echo_beat_longest(struct echo_beat *beat, ktime_t now)
{
	return max(beat->longest, ktime_ms_delta(now, beat->last));
}

static void echo_beat(struct timer_list *timer)
{
	struct echo_beat *beat = container_of(timer, struct echo_beat, timer);
	ktime_t now = ktime_get();

	beat->longest = echo_beat_longest(beat, now);
	beat->last = now;
	mod_timer(timer, jiffies + 1);
}

/* Start measuring: a connection is about to be lost. */
void echo_pause_begin(void)
{
	struct echo_beat *beat;
	int cpu;

	begun = ktime_get();
	for_each_online_cpu(cpu) {
		beat = per_cpu_ptr(&beats, cpu);
		beat->last = begun;
		beat->longest = 0;
		timer_setup(&beat->timer, echo_beat, TIMER_PINNED);
		beat->timer.expires = jiffies + 1;
		add_timer_on(&beat->timer, cpu);
	}
}

/*
 * Stop measuring: calls have been answered. Returns the milliseconds in which
 * all processors ran.
 */
unsigned int echo_pause_end(void)
{
	ktime_t now = ktime_get();
	struct echo_beat *beat;
	s64 still = 0;
	int cpu;

	for_each_online_cpu(cpu) {
		beat = per_cpu_ptr(&beats, cpu);
		timer_delete_sync(&beat->timer);
		still = max(still, echo_beat_longest(beat, now));
	}
	return max(ktime_ms_delta(now, begun) - still, 0);
}
