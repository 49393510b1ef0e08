# SPDX-License-Identifier: GPL-2.0-only
#
# From events with time stamps, as tracefs prints them, a histogram of how long each stage of a call
# takes, in microseconds. A stage is what lies between two events with the same XID.

function stage(event, name, from) { before[event] = from; title[event] = name; order[++stages] = event }

BEGIN {
	stage("xprtrdma_marshal", "client: waiting for credit or connection", "xprt_reserve")
	stage("xprtrdma_send", "client: registering and posting", "xprtrdma_marshal")
	stage("xprtrdma_reply", "client: network and server", "xprtrdma_send")
	stage("xprtrdma_reply_complete", "client: ending access to memory", "xprtrdma_reply")
	stage("svc_process", "server: reading chunks and waiting for a thread", "svc_rdma_received")
	stage("svc_xdr_sendto", "server: nfsd", "svc_process")
	stage("svc_rdma_sent", "server: building and posting the reply", "svc_xdr_sendto")
	for (i = 1; i <= stages; i++)
		ends[before[order[i]]] = 1
}

/^CPU:|LOST.*EVENTS/ { lost++; next }

match($0, /xid=0x[0-9a-f]+/) {
	xid = substr($0, RSTART + 4, RLENGTH - 4)
	event = ""
	for (i = 1; i < NF; i++)
		if ($i ~ /^[0-9]+\.[0-9]+:$/) {
			time = substr($i, 1, length($i) - 1)
			event = $(i + 1)
			break
		}
	sub(/^[a-z]+:/, "", event)
	sub(/:$/, "", event)
	if ((event, xid) in start_time)
		delete start_time[event, xid]
	if (event in before && (before[event], xid) in start_time) {
		add(event, (time - start_time[before[event], xid]) * 1000000)
		delete start_time[before[event], xid]
	}
	if (event in ends)
		start_time[event, xid] = time
}

function add(event, us,    bucket, top)
{
	for (top = 1; top <= us; top *= 2)
		bucket++
	count[event]++
	sum[event] += us
	seen[event, bucket + 0]++
	if (bucket > highest[event])
		highest[event] = bucket
}

function bar(n, most,    s, i)
{
	for (i = 0; i < int(n * 50 / most + 0.5); i++)
		s = s "#"
	return s
}

function show(event,    b, most)
{
	printf "%s: %d calls, %.0f us on average\n", title[event], count[event],
		sum[event] / count[event]
	for (b = 0; b <= highest[event]; b++)
		if (seen[event, b] > most)
			most = seen[event, b]
	for (b = 0; b <= highest[event]; b++)
		if (seen[event, b])
			printf "  %9d to %9d us %8d |%s\n", b ? 2 ^ (b - 1) : 0, 2 ^ b,
				seen[event, b], bar(seen[event, b], most)
	print ""
}

END {
	for (i = 1; i <= stages; i++)
		if (count[order[i]]) {
			show(order[i])
			shown++
		}
	if (lost)
		print "events were lost " lost " times: trace for a shorter time"
	if (!shown) {
		print "no call was seen: is an NFS mount with proto=rdma in use?"
		exit 1
	}
}
