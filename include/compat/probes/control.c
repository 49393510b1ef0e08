// SPDX-License-Identifier: GPL-2.0-only
/* Includes the headers of all other probes. If it does not compile, their results mean nothing. */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/shrinker.h>
#include <linux/stringify.h>
#include <linux/sunrpc/svc.h>
#include <linux/sysctl.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <trace/stages/stage6_event_callback.h>
