/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * The generic netlink family by which both transports show their connections.
 * Stable: Documentation/abi/netlink.rst has the rules,
 * Documentation/netlink/rpcrdma.yaml the same numbers. Numbers are only added,
 * at the end.
 */
#ifndef _RPCRDMA_NETLINK_H
#define _RPCRDMA_NETLINK_H

#define RPCRDMA_NL_FAMILY	"rpcrdma"
#define RPCRDMA_NL_VERSION	1

/**
 * enum rpcrdma_nl_cmd - commands
 * @RPCRDMA_NL_CMD_UNSPEC: unused
 * @RPCRDMA_NL_CMD_CONN_GET: dump: one message per transport of the client, or
 *	connection of the server, in the network namespace of the socket
 * @RPCRDMA_NL_CMD_ENDED_GET: dump: ended connections, connect requests that the
 *	server refused, and tries of the client that failed; the latest last
 * @RPCRDMA_NL_CMD_NR: number of commands
 */
enum rpcrdma_nl_cmd {
	RPCRDMA_NL_CMD_UNSPEC,
	RPCRDMA_NL_CMD_CONN_GET,
	RPCRDMA_NL_CMD_ENDED_GET,
	RPCRDMA_NL_CMD_NR,
};

/**
 * enum rpcrdma_nl_side - a side of connections
 * @RPCRDMA_NL_SIDE_CLIENT: transports of the client
 * @RPCRDMA_NL_SIDE_SERVER: connections of the server
 * @RPCRDMA_NL_SIDES: number of sides
 */
enum rpcrdma_nl_side {
	RPCRDMA_NL_SIDE_CLIENT,
	RPCRDMA_NL_SIDE_SERVER,
	RPCRDMA_NL_SIDES,
};

/**
 * enum rpcrdma_nl_attr - attributes of a connection, and of what has ended:
 *	numbers of 64 bits unless stated otherwise
 * @RPCRDMA_NL_PAD: alignment
 * @RPCRDMA_NL_SIDE: enum rpcrdma_nl_side
 * @RPCRDMA_NL_ID: not used again while the modules are loaded
 * @RPCRDMA_NL_STATE: enum rpcrdma_nl_state
 * @RPCRDMA_NL_PEER: binary, struct sockaddr_in or sockaddr_in6; without a port
 *	on the server
 * @RPCRDMA_NL_LOCAL: the same; server only
 * @RPCRDMA_NL_DEVICE: string; name of the RDMA device
 * @RPCRDMA_NL_AGE: seconds since the connection was established
 * @RPCRDMA_NL_RPCRDMA_VERSION: 0: not known yet
 * @RPCRDMA_NL_VERSION_REASON: enum rpcrdma_nl_reason
 * @RPCRDMA_NL_PEER_HINT: enum rpcrdma_nl_hint
 * @RPCRDMA_NL_CREDITS_MAX: credits that the client asks for, or limit of the
 *	server's grant
 * @RPCRDMA_NL_CREDITS_GRANTED: the server's grant
 * @RPCRDMA_NL_CREDITS_USED: calls in flight
 * @RPCRDMA_NL_INLINE_SEND: bytes; the longest message that we send
 * @RPCRDMA_NL_INLINE_RECV: bytes; the longest message that we receive
 * @RPCRDMA_NL_OWN_PROPS: nest of enum rpcrdma_nl_prop; version 2 only
 * @RPCRDMA_NL_PEER_PROPS: the same of the peer
 * @RPCRDMA_NL_REMOTE_INVALIDATION: 1 if a reply may invalidate a handle
 * @RPCRDMA_NL_READ_REPLIES: 1 if replies may come in Read chunks
 * @RPCRDMA_NL_READS_MAX: limit of our RDMA Reads outstanding
 * @RPCRDMA_NL_PEER_READS_MAX: limit of the peer's
 * @RPCRDMA_NL_SQ_SIZE: Send Queue entries
 * @RPCRDMA_NL_SQ_FREE: those not in use; below 0 while calls wait
 * @RPCRDMA_NL_TRAFFIC_CLASS: of its packets; 0 on iWARP
 * @RPCRDMA_NL_CALL_AGE: client: seconds; age of the oldest call that has no
 *	reply; absent if there is none
 * @RPCRDMA_NL_CALL_STAGE: client: enum rpcrdma_nl_stage; what that call waits
 *	for
 * @RPCRDMA_NL_PATH_MTU: bytes of payload in a packet; all of PATH are absent on
 *	iWARP
 * @RPCRDMA_NL_PATH_ACK_TIMEOUT: the adapter retransmits what is not
 *	acknowledged after 4.096 us * 2^this; 0: never
 * @RPCRDMA_NL_PATH_RETRIES: retransmissions before it gives up; 7: some
 *	adapters never do
 * @RPCRDMA_NL_PATH_RNR_RETRIES: the same if the peer has no Receive; 7: no
 *	limit
 * @RPCRDMA_NL_REG_COUNT: client: memory regions that exist
 * @RPCRDMA_NL_REG_BUSY: client: those that calls use
 * @RPCRDMA_NL_REG_MAX: client: limit of those in use
 * @RPCRDMA_NL_REG_PAGES: client: pages that a large one can cover
 * @RPCRDMA_NL_MEM_RECEIVES: bytes in buffers of Receives
 * @RPCRDMA_NL_MEM_CALLS: server: bytes in pages of calls whose Read chunks are
 *	read, and contexts of their RDMA Reads
 * @RPCRDMA_NL_MEM_REPLIES: server: bytes in pages of replies that are not sent
 *	yet
 * @RPCRDMA_NL_MEM_ADVERTISED: server: bytes in pages of replies that the client
 *	reads
 * @RPCRDMA_NL_MEM_KEPT: server: bytes in pages kept for the next calls
 * @RPCRDMA_NL_COUNT_CALLS: client: calls sent; server: messages received
 * @RPCRDMA_NL_COUNT_READ_CALLS: calls with Read chunks
 * @RPCRDMA_NL_COUNT_LONG_CALLS: of these, with a position-zero Read chunk
 * @RPCRDMA_NL_COUNT_WRITE_CALLS: calls with Write chunks
 * @RPCRDMA_NL_COUNT_REPLY_CALLS: calls with a Reply chunk
 * @RPCRDMA_NL_COUNT_READ_REPLIES: replies in the server's Read chunks
 * @RPCRDMA_NL_COUNT_CALL_BYTES: server: bytes of calls in Read chunks
 * @RPCRDMA_NL_COUNT_REPLY_BYTES: bytes of replies in chunks of any kind
 * @RPCRDMA_NL_COUNT_ERRORS: client: calls that could not be marshaled; server:
 *	RDMA_ERRORs sent
 * @RPCRDMA_NL_HISTORY_CONNECTS: client: connections established
 * @RPCRDMA_NL_HISTORY_FAILURES: client: attempts that failed
 * @RPCRDMA_NL_HISTORY_ERROR: client: negative errno of the last try that failed
 * @RPCRDMA_NL_HISTORY_LOST: client: connections lost
 * @RPCRDMA_NL_HISTORY_REASON: client: enum rpcrdma_nl_lost: why the last
 *	connection ended
 * @RPCRDMA_NL_HISTORY_SINCE: client: seconds since then
 * @RPCRDMA_NL_HISTORY_DOWN: client: seconds since when a connection is wanted
 *	and there is none; absent if there is one, or none is wanted
 * @RPCRDMA_NL_HISTORY_TRIES: client: tries to connect that have failed
 *	meanwhile; an attempt consists of several
 * @RPCRDMA_NL_ENDED_REASON: enum rpcrdma_nl_lost
 * @RPCRDMA_NL_ENDED_DETAIL: enum rpcrdma_nl_detail
 * @RPCRDMA_NL_ENDED_STATUS: above 0 the status of a failed Work Request (enum
 *	ib_wc_status); of a Queue Pair's event, its number (enum ib_event_type);
 *	below 0 a negative errno; 0 if there is none
 * @RPCRDMA_NL_ENDED_TIMES: how often this has happened with this peer; the
 *	other attributes are those of the last time
 * @RPCRDMA_NL_ENDED_SINCE: seconds since then
 * @RPCRDMA_NL_ENDED_LASTED: seconds that the connection existed; absent if the
 *	request was refused
 * @RPCRDMA_NL_ENDED_CALLS: messages that it has received
 * @RPCRDMA_NL_ENDED_COUNT: how many have ended for this reason on this side,
 *	with all peers, since the modules were loaded
 * @RPCRDMA_NL_ATTRS: number of attributes
 */
enum rpcrdma_nl_attr {
	RPCRDMA_NL_PAD,
	RPCRDMA_NL_SIDE,
	RPCRDMA_NL_ID,
	RPCRDMA_NL_STATE,
	RPCRDMA_NL_PEER,
	RPCRDMA_NL_LOCAL,
	RPCRDMA_NL_DEVICE,
	RPCRDMA_NL_AGE,
	RPCRDMA_NL_RPCRDMA_VERSION,
	RPCRDMA_NL_VERSION_REASON,
	RPCRDMA_NL_PEER_HINT,
	RPCRDMA_NL_CREDITS_MAX,
	RPCRDMA_NL_CREDITS_GRANTED,
	RPCRDMA_NL_CREDITS_USED,
	RPCRDMA_NL_INLINE_SEND,
	RPCRDMA_NL_INLINE_RECV,
	RPCRDMA_NL_OWN_PROPS,
	RPCRDMA_NL_PEER_PROPS,
	RPCRDMA_NL_REMOTE_INVALIDATION,
	RPCRDMA_NL_READ_REPLIES,
	RPCRDMA_NL_READS_MAX,
	RPCRDMA_NL_PEER_READS_MAX,
	RPCRDMA_NL_SQ_SIZE,
	RPCRDMA_NL_SQ_FREE,
	RPCRDMA_NL_TRAFFIC_CLASS,
	RPCRDMA_NL_CALL_AGE,
	RPCRDMA_NL_CALL_STAGE,
	RPCRDMA_NL_PATH_MTU,
	RPCRDMA_NL_PATH_ACK_TIMEOUT,
	RPCRDMA_NL_PATH_RETRIES,
	RPCRDMA_NL_PATH_RNR_RETRIES,
	RPCRDMA_NL_REG_COUNT,
	RPCRDMA_NL_REG_BUSY,
	RPCRDMA_NL_REG_MAX,
	RPCRDMA_NL_REG_PAGES,
	RPCRDMA_NL_MEM_RECEIVES,
	RPCRDMA_NL_MEM_CALLS,
	RPCRDMA_NL_MEM_REPLIES,
	RPCRDMA_NL_MEM_ADVERTISED,
	RPCRDMA_NL_MEM_KEPT,
	RPCRDMA_NL_COUNT_CALLS,
	RPCRDMA_NL_COUNT_READ_CALLS,
	RPCRDMA_NL_COUNT_LONG_CALLS,
	RPCRDMA_NL_COUNT_WRITE_CALLS,
	RPCRDMA_NL_COUNT_REPLY_CALLS,
	RPCRDMA_NL_COUNT_READ_REPLIES,
	RPCRDMA_NL_COUNT_CALL_BYTES,
	RPCRDMA_NL_COUNT_REPLY_BYTES,
	RPCRDMA_NL_COUNT_ERRORS,
	RPCRDMA_NL_HISTORY_CONNECTS,
	RPCRDMA_NL_HISTORY_FAILURES,
	RPCRDMA_NL_HISTORY_ERROR,
	RPCRDMA_NL_HISTORY_LOST,
	RPCRDMA_NL_HISTORY_REASON,
	RPCRDMA_NL_HISTORY_SINCE,
	RPCRDMA_NL_HISTORY_DOWN,
	RPCRDMA_NL_HISTORY_TRIES,
	RPCRDMA_NL_ENDED_REASON,
	RPCRDMA_NL_ENDED_DETAIL,
	RPCRDMA_NL_ENDED_STATUS,
	RPCRDMA_NL_ENDED_TIMES,
	RPCRDMA_NL_ENDED_SINCE,
	RPCRDMA_NL_ENDED_LASTED,
	RPCRDMA_NL_ENDED_CALLS,
	RPCRDMA_NL_ENDED_COUNT,
	RPCRDMA_NL_ATTRS,
};

/**
 * enum rpcrdma_nl_state - progress of a connection
 * @RPCRDMA_NL_STATE_NONE: there is none; the next call connects
 * @RPCRDMA_NL_STATE_CONNECTING: being established
 * @RPCRDMA_NL_STATE_NEGOTIATING: established; the version is not known yet
 * @RPCRDMA_NL_STATE_CONNECTED: calls may be sent
 * @RPCRDMA_NL_STATE_CLOSING: lost, or being closed
 */
enum rpcrdma_nl_state {
	RPCRDMA_NL_STATE_NONE,
	RPCRDMA_NL_STATE_CONNECTING,
	RPCRDMA_NL_STATE_NEGOTIATING,
	RPCRDMA_NL_STATE_CONNECTED,
	RPCRDMA_NL_STATE_CLOSING,
};

/**
 * enum rpcrdma_nl_hint - the version hint that the peer sent as it connected
 * @RPCRDMA_NL_HINT_NONE: none
 * @RPCRDMA_NL_HINT_V1: it has version 1 only
 * @RPCRDMA_NL_HINT_V2: it has the same version 2
 * @RPCRDMA_NL_HINT_V2_OTHER: its version 2 is that of another document
 */
enum rpcrdma_nl_hint {
	RPCRDMA_NL_HINT_NONE,
	RPCRDMA_NL_HINT_V1,
	RPCRDMA_NL_HINT_V2,
	RPCRDMA_NL_HINT_V2_OTHER,
};

/**
 * enum rpcrdma_nl_reason - why a connection has its version
 * @RPCRDMA_NL_REASON_NONE: it has none yet
 * @RPCRDMA_NL_REASON_HINT: the peer's version hint
 * @RPCRDMA_NL_REASON_OFFER: version 2 was offered without a hint, and accepted
 * @RPCRDMA_NL_REASON_REFUSED: the server refused an offer of version 2
 * @RPCRDMA_NL_REASON_UNANSWERED: an offer on an earlier connection was not
 *	answered, or that connection was lost
 * @RPCRDMA_NL_REASON_TUNABLE: a tunable of this host permits no other
 * @RPCRDMA_NL_REASON_PEER: the requester began with this version
 */
enum rpcrdma_nl_reason {
	RPCRDMA_NL_REASON_NONE,
	RPCRDMA_NL_REASON_HINT,
	RPCRDMA_NL_REASON_OFFER,
	RPCRDMA_NL_REASON_REFUSED,
	RPCRDMA_NL_REASON_UNANSWERED,
	RPCRDMA_NL_REASON_TUNABLE,
	RPCRDMA_NL_REASON_PEER,
};

/**
 * enum rpcrdma_nl_prop - transport properties of one side: numbers of 64 bits
 * @RPCRDMA_NL_PROP_PAD: alignment
 * @RPCRDMA_NL_PROP_RECV_SIZE: bytes; Receive Buffer Size
 * @RPCRDMA_NL_PROP_REVERSE: Reverse Request Support: 0 none, 1 inline, 2
 *	general
 * @RPCRDMA_NL_PROP_REMOTE_INV: 1: requester remote invalidation
 * @RPCRDMA_NL_PROP_READ_REPLIES: 1: responder-provided Read chunks
 * @RPCRDMA_NL_PROP_HTYPES: bit T: OPTIONAL header type T
 * @RPCRDMA_NL_PROPS: number of attributes
 */
enum rpcrdma_nl_prop {
	RPCRDMA_NL_PROP_PAD,
	RPCRDMA_NL_PROP_RECV_SIZE,
	RPCRDMA_NL_PROP_REVERSE,
	RPCRDMA_NL_PROP_REMOTE_INV,
	RPCRDMA_NL_PROP_READ_REPLIES,
	RPCRDMA_NL_PROP_HTYPES,
	RPCRDMA_NL_PROPS,
};

/**
 * enum rpcrdma_nl_lost - why a connection has ended
 * @RPCRDMA_NL_LOST_NONE: none has
 * @RPCRDMA_NL_LOST_CLOSED: this host has closed it: idle, or an operator
 * @RPCRDMA_NL_LOST_PEER: the peer has closed it
 * @RPCRDMA_NL_LOST_DEVICE: the RDMA device was removed
 * @RPCRDMA_NL_LOST_ADDRESS: the address has moved to another device
 * @RPCRDMA_NL_LOST_VANISHED: the peer's adapter did not answer
 * @RPCRDMA_NL_LOST_STALLED: the adapters have stopped making progress
 * @RPCRDMA_NL_LOST_TIMEOUT: client only: a call was not answered in time
 * @RPCRDMA_NL_LOST_WORK: a Work Request has failed
 * @RPCRDMA_NL_LOST_PROTOCOL: the peer violated the protocol
 * @RPCRDMA_NL_LOST_OTHER: a failure of this host; on the client also any failed
 *	attempt but a refused one, and a lack of memory
 * @RPCRDMA_NL_LOST_SHUTDOWN: server only: nfsd, or the listener, was stopped
 * @RPCRDMA_NL_LOST_MEMORY: this host had no memory: the server for a message, the
 *	client for an attempt
 * @RPCRDMA_NL_LOST_REFUSED: the connect request was refused
 * @RPCRDMA_NL_LOST_NR: number of reasons
 */
enum rpcrdma_nl_lost {
	RPCRDMA_NL_LOST_NONE,
	RPCRDMA_NL_LOST_CLOSED,
	RPCRDMA_NL_LOST_PEER,
	RPCRDMA_NL_LOST_DEVICE,
	RPCRDMA_NL_LOST_ADDRESS,
	RPCRDMA_NL_LOST_VANISHED,
	RPCRDMA_NL_LOST_STALLED,
	RPCRDMA_NL_LOST_TIMEOUT,
	RPCRDMA_NL_LOST_WORK,
	RPCRDMA_NL_LOST_PROTOCOL,
	RPCRDMA_NL_LOST_OTHER,
	RPCRDMA_NL_LOST_SHUTDOWN,
	RPCRDMA_NL_LOST_MEMORY,
	RPCRDMA_NL_LOST_REFUSED,
	RPCRDMA_NL_LOST_NR,
};

/**
 * enum rpcrdma_nl_stage - what a call of the client waits for
 * @RPCRDMA_NL_STAGE_NONE: nothing
 * @RPCRDMA_NL_STAGE_CONNECTION: a connection
 * @RPCRDMA_NL_STAGE_CREDIT: a credit: it is not sent before others are answered
 * @RPCRDMA_NL_STAGE_MEMORY: memory, a memory region, or entries of the Send Queue
 * @RPCRDMA_NL_STAGE_NETWORK: the server's adapter acknowledges nothing, or our
 *	adapter does not complete the work for its reply
 * @RPCRDMA_NL_STAGE_SERVER: its reply; the server's adapter answers
 */
enum rpcrdma_nl_stage {
	RPCRDMA_NL_STAGE_NONE,
	RPCRDMA_NL_STAGE_CONNECTION,
	RPCRDMA_NL_STAGE_CREDIT,
	RPCRDMA_NL_STAGE_MEMORY,
	RPCRDMA_NL_STAGE_NETWORK,
	RPCRDMA_NL_STAGE_SERVER,
};

/**
 * enum rpcrdma_nl_detail - operation at which a connection failed
 * @RPCRDMA_NL_DETAIL_NONE: the reason says all
 * @RPCRDMA_NL_DETAIL_CONNECT: being established
 * @RPCRDMA_NL_DETAIL_PROBE: the keepalive probe
 * @RPCRDMA_NL_DETAIL_RECEIVE: a Receive
 * @RPCRDMA_NL_DETAIL_SEND: a Send
 * @RPCRDMA_NL_DETAIL_READ: an RDMA Read of a call
 * @RPCRDMA_NL_DETAIL_WRITE: an RDMA Write of a reply
 * @RPCRDMA_NL_DETAIL_REGION: registering or invalidating memory
 * @RPCRDMA_NL_DETAIL_QUEUE_PAIR: an asynchronous event of the Queue Pair
 * @RPCRDMA_NL_DETAIL_FLUSHED: all Work Requests, without an error that explains
 *	it
 * @RPCRDMA_NL_DETAIL_SHORT: a message without an XID
 * @RPCRDMA_NL_DETAIL_OVERLONG: a message longer than our Receives
 * @RPCRDMA_NL_DETAIL_INVALIDATION: the invalidation of a handle not offered
 * @RPCRDMA_NL_DETAIL_PROPERTIES: a request about more properties than the answer
 *	to it has room for
 * @RPCRDMA_NL_DETAIL_CALL: a call, its Read chunks
 * @RPCRDMA_NL_DETAIL_REPLY: a reply, its chunks
 * @RPCRDMA_NL_DETAIL_BACKLOG: too many connect requests were waiting
 * @RPCRDMA_NL_DETAIL_NO_READS: the client's adapter permits no RDMA Reads
 * @RPCRDMA_NL_DETAIL_RESOURCES: queues and Receives of the connection
 */
enum rpcrdma_nl_detail {
	RPCRDMA_NL_DETAIL_NONE,
	RPCRDMA_NL_DETAIL_CONNECT,
	RPCRDMA_NL_DETAIL_PROBE,
	RPCRDMA_NL_DETAIL_RECEIVE,
	RPCRDMA_NL_DETAIL_SEND,
	RPCRDMA_NL_DETAIL_READ,
	RPCRDMA_NL_DETAIL_WRITE,
	RPCRDMA_NL_DETAIL_REGION,
	RPCRDMA_NL_DETAIL_QUEUE_PAIR,
	RPCRDMA_NL_DETAIL_FLUSHED,
	RPCRDMA_NL_DETAIL_SHORT,
	RPCRDMA_NL_DETAIL_OVERLONG,
	RPCRDMA_NL_DETAIL_INVALIDATION,
	RPCRDMA_NL_DETAIL_PROPERTIES,
	RPCRDMA_NL_DETAIL_CALL,
	RPCRDMA_NL_DETAIL_REPLY,
	RPCRDMA_NL_DETAIL_BACKLOG,
	RPCRDMA_NL_DETAIL_NO_READS,
	RPCRDMA_NL_DETAIL_RESOURCES,
};

/* The highest numbers: code that is generated from the YAML uses them. */
#define RPCRDMA_NL_ATTR_MAX	(RPCRDMA_NL_ATTRS - 1)
#define RPCRDMA_NL_PROP_MAX	(RPCRDMA_NL_PROPS - 1)

#endif /* _RPCRDMA_NETLINK_H */
