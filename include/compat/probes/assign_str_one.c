// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.10: __assign_str() takes the string from __string(). */
#include <linux/stringify.h>
#include <linux/tracepoint.h>
#include <trace/stages/stage6_event_callback.h>

extern const char probe[];
const char probe[] = __stringify(__assign_str(name));
