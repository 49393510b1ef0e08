// SPDX-License-Identifier: GPL-2.0-only
/* Parameters, threads and counters of the server, in the same guest. */

#include <stdlib.h>

#include "peer.h"

/* Set a parameter of the server's module. */
int server_set(const char *parameter, const char *value)
{
	char path[128];
	FILE *file;
	int ret;

	snprintf(path, sizeof(path), "/sys/module/svcrdma/parameters/%s",
		 parameter);
	file = fopen(path, "w");
	if (!file)
		return -1;
	ret = fputs(value, file);
	return fclose(file) || ret < 0 ? -1 : 0;
}

/* Set the server's number of threads; 0 stops it. */
int server_threads(unsigned int count)
{
	FILE *file = fopen("/proc/fs/nfsd/threads", "w");
	int ret;

	if (!file)
		return -1;
	ret = fprintf(file, "%u\n", count);
	return fclose(file) || ret < 0 ? -1 : 0;
}

/* Start it again, as the guest does. */
int server_start(void)
{
	const char *command = getenv("SERVER_START");

	return command && !system(command) ? 0 : -1;
}

/* Return a counter of the server's module, or -1 if it does not exist. */
long server_counter(const char *name)
{
	FILE *file = fopen("/sys/kernel/debug/svcrdma/stats", "r");
	char line[128], *value;
	long found = -1;

	if (!file)
		return -1;
	while (found < 0 && fgets(line, sizeof(line), file)) {
		value = strchr(line, ' ');
		if (!value)
			continue;
		*value++ = 0;
		if (!strcmp(line, name))
			found = atol(value);
	}
	fclose(file);
	return found;
}
