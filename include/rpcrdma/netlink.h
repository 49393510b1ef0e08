/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * The generic netlink family in which both transports show their connections. It
 * is a stable ABI: new numbers are only appended (Documentation/abi/netlink.rst).
 * Documentation/netlink/rpcrdma.yaml defines the same numbers.
 */
#ifndef _RPCRDMA_NETLINK_H
#define _RPCRDMA_NETLINK_H

#define RPCRDMA_NL_FAMILY	"rpcrdma"
#define RPCRDMA_NL_VERSION	1

/**
 * enum rpcrdma_nl_cmd - commands
 * @RPCRDMA_NL_CMD_UNSPEC: unused
 * @RPCRDMA_NL_CMD_CONN_GET: dump one message for each client transport and
 *	server connection in the network namespace of the socket
 * @RPCRDMA_NL_CMD_ENDED_GET: dump ended connections, connect requests that the
 *	server refused, and failed tries of the client, most recent last
 * @RPCRDMA_NL_CMD_NR: number of commands
 */
enum rpcrdma_nl_cmd {
	RPCRDMA_NL_CMD_UNSPEC,
	RPCRDMA_NL_CMD_CONN_GET,
	RPCRDMA_NL_CMD_ENDED_GET,
	RPCRDMA_NL_CMD_NR,
};

/**
 * enum rpcrdma_nl_side - side of a connection
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
 * enum rpcrdma_nl_attr - attributes of connections and ended connections:
 *	64-bit numbers unless stated otherwise
 * @RPCRDMA_NL_PAD: alignment
 * @RPCRDMA_NL_SIDE: enum rpcrdma_nl_side
 * @RPCRDMA_NL_ID: number that is not reused while the modules are loaded
 * @RPCRDMA_NL_STATE: enum rpcrdma_nl_state
 * @RPCRDMA_NL_PEER: binary, struct sockaddr_in or sockaddr_in6; without a port
 *	on the server
 * @RPCRDMA_NL_LOCAL: server: binary; local address, like RPCRDMA_NL_PEER
 * @RPCRDMA_NL_DEVICE: string; name of the RDMA device
 * @RPCRDMA_NL_AGE: seconds since the connection was established
 * @RPCRDMA_NL_RPCRDMA_VERSION: RPC-over-RDMA version; 0: not known yet
 * @RPCRDMA_NL_VERSION_REASON: enum rpcrdma_nl_reason
 * @RPCRDMA_NL_PEER_HINT: enum rpcrdma_nl_hint
 * @RPCRDMA_NL_CREDITS_MAX: client: credits requested; server: maximum credit
 *	grant
 * @RPCRDMA_NL_CREDITS_GRANTED: the server's credit grant
 * @RPCRDMA_NL_CREDITS_USED: calls in flight
 * @RPCRDMA_NL_INLINE_SEND: bytes; the longest message that we send
 * @RPCRDMA_NL_INLINE_RECV: bytes; the longest message that we receive
 * @RPCRDMA_NL_OWN_PROPS: nest of enum rpcrdma_nl_prop; version 2 only
 * @RPCRDMA_NL_PEER_PROPS: the peer's properties, like RPCRDMA_NL_OWN_PROPS
 * @RPCRDMA_NL_REMOTE_INVALIDATION: 1 if a reply may invalidate a handle
 * @RPCRDMA_NL_READ_REPLIES: 1 if replies may arrive in Read chunks
 * @RPCRDMA_NL_READS_MAX: maximum number of our outstanding RDMA Reads
 * @RPCRDMA_NL_PEER_READS_MAX: maximum number of the peer's outstanding RDMA
 *	Reads
 * @RPCRDMA_NL_SQ_SIZE: Send Queue entries
 * @RPCRDMA_NL_SQ_FREE: Send Queue entries not in use; negative while calls wait
 * @RPCRDMA_NL_TRAFFIC_CLASS: traffic class of packets; 0 on iWARP
 * @RPCRDMA_NL_CALL_AGE: client: age in seconds of the oldest call without a
 *	reply; absent if there is none
 * @RPCRDMA_NL_CALL_STAGE: client: enum rpcrdma_nl_stage; what that call waits
 *	for
 * @RPCRDMA_NL_PATH_MTU: bytes of payload in a packet. All PATH attributes are
 *	absent on iWARP.
 * @RPCRDMA_NL_PATH_ACK_TIMEOUT: the adapter retransmits unacknowledged packets
 *	after 4.096 us * 2^value; 0: never
 * @RPCRDMA_NL_PATH_RETRIES: retransmissions before the adapter gives up; 7:
 *	some adapters never give up
 * @RPCRDMA_NL_PATH_RNR_RETRIES: retries while the peer has no Receive; 7: no
 *	limit
 * @RPCRDMA_NL_REG_COUNT: client: number of memory regions
 * @RPCRDMA_NL_REG_BUSY: client: memory regions in use by calls
 * @RPCRDMA_NL_REG_MAX: client: maximum number of memory regions in use
 * @RPCRDMA_NL_REG_PAGES: client: pages that a large memory region can cover
 * @RPCRDMA_NL_MEM_RECEIVES: bytes in Receive buffers
 * @RPCRDMA_NL_MEM_CALLS: server: bytes in pages of calls whose Read chunks are
 *	being read, and in the contexts of these RDMA Reads
 * @RPCRDMA_NL_MEM_REPLIES: server: bytes in pages of replies that have not been
 *	sent yet
 * @RPCRDMA_NL_MEM_ADVERTISED: server: bytes in pages of replies that the client
 *	reads
 * @RPCRDMA_NL_MEM_KEPT: server: bytes in pages kept for the next calls
 * @RPCRDMA_NL_COUNT_CALLS: client: calls sent; server: messages received
 * @RPCRDMA_NL_COUNT_READ_CALLS: calls with Read chunks
 * @RPCRDMA_NL_COUNT_LONG_CALLS: calls with a position-zero Read chunk
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
 * @RPCRDMA_NL_HISTORY_SINCE: client: seconds since the last connection ended
 * @RPCRDMA_NL_HISTORY_DOWN: client: seconds for which a connection has been
 *	needed and missing; absent if there is one, or none is needed
 * @RPCRDMA_NL_HISTORY_TRIES: client: failed tries to connect during that time;
 *	an attempt consists of several tries
 * @RPCRDMA_NL_ENDED_REASON: enum rpcrdma_nl_lost
 * @RPCRDMA_NL_ENDED_DETAIL: enum rpcrdma_nl_detail
 * @RPCRDMA_NL_ENDED_STATUS: positive: status of a failed Work Request (enum
 *	ib_wc_status) or number of a Queue Pair event (enum ib_event_type);
 *	negative: errno; 0: none
 * @RPCRDMA_NL_ENDED_TIMES: number of ends with this peer and cause; the other
 *	attributes describe the last of them
 * @RPCRDMA_NL_ENDED_SINCE: seconds since the last of these ends
 * @RPCRDMA_NL_ENDED_LASTED: seconds that the connection existed; absent if
 *	there was no connection
 * @RPCRDMA_NL_ENDED_CALLS: messages received on the connection
 * @RPCRDMA_NL_ENDED_COUNT: number of ends for this reason on this side, with
 *	all peers, since the modules were loaded
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
 * @RPCRDMA_NL_STATE_NONE: there is no connection; the next call connects
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
 * enum rpcrdma_nl_hint - the version hint that the peer sent when it connected
 * @RPCRDMA_NL_HINT_NONE: no hint
 * @RPCRDMA_NL_HINT_V1: version 1 only
 * @RPCRDMA_NL_HINT_V2: the same version 2
 * @RPCRDMA_NL_HINT_V2_OTHER: version 2 of another document
 */
enum rpcrdma_nl_hint {
	RPCRDMA_NL_HINT_NONE,
	RPCRDMA_NL_HINT_V1,
	RPCRDMA_NL_HINT_V2,
	RPCRDMA_NL_HINT_V2_OTHER,
};

/**
 * enum rpcrdma_nl_reason - why a connection has its version
 * @RPCRDMA_NL_REASON_NONE: the version is not known yet
 * @RPCRDMA_NL_REASON_HINT: the peer's version hint
 * @RPCRDMA_NL_REASON_OFFER: version 2 was offered without a hint, and accepted
 * @RPCRDMA_NL_REASON_REFUSED: the server refused an offer of version 2
 * @RPCRDMA_NL_REASON_UNANSWERED: an offer on an earlier connection was not
 *	answered, or that connection was lost
 * @RPCRDMA_NL_REASON_TUNABLE: a tunable of this host permits no other version
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
 * enum rpcrdma_nl_prop - transport properties of one side: 64-bit numbers
 * @RPCRDMA_NL_PROP_PAD: alignment
 * @RPCRDMA_NL_PROP_RECV_SIZE: bytes; Receive Buffer Size
 * @RPCRDMA_NL_PROP_REVERSE: Reverse Request Support: 0 none, 1 inline, 2
 *	general
 * @RPCRDMA_NL_PROP_REMOTE_INV: 1: requester remote invalidation
 * @RPCRDMA_NL_PROP_READ_REPLIES: 1: responder-provided Read chunks
 * @RPCRDMA_NL_PROP_HTYPES: bit T is set if OPTIONAL header type T is supported
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
 * enum rpcrdma_nl_lost - why a connection ended
 * @RPCRDMA_NL_LOST_NONE: no connection has ended
 * @RPCRDMA_NL_LOST_CLOSED: this host closed it: it was idle, or an operator
 *	asked
 * @RPCRDMA_NL_LOST_PEER: the peer closed it
 * @RPCRDMA_NL_LOST_DEVICE: the RDMA device was removed
 * @RPCRDMA_NL_LOST_ADDRESS: the address moved to another device
 * @RPCRDMA_NL_LOST_VANISHED: the peer's adapter did not answer
 * @RPCRDMA_NL_LOST_STALLED: the adapters stopped making progress
 * @RPCRDMA_NL_LOST_TIMEOUT: client only: a call was not answered in time
 * @RPCRDMA_NL_LOST_WORK: a Work Request failed
 * @RPCRDMA_NL_LOST_PROTOCOL: the peer violated the protocol
 * @RPCRDMA_NL_LOST_OTHER: another failure of this host; on the client, also an
 *	attempt that failed for a reason other than refusal or lack of memory
 * @RPCRDMA_NL_LOST_SHUTDOWN: server only: nfsd, or the listener, was stopped
 * @RPCRDMA_NL_LOST_MEMORY: this host was out of memory: the server for a
 *	message, the client for an attempt
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
 * @RPCRDMA_NL_STAGE_CREDIT: a credit: replies to other calls must arrive first
 * @RPCRDMA_NL_STAGE_MEMORY: memory, a memory region, or Send Queue entries
 * @RPCRDMA_NL_STAGE_NETWORK: the network: the server's adapter acknowledges
 *	nothing, or our adapter does not complete the work that the reply needs
 * @RPCRDMA_NL_STAGE_SERVER: the reply; the server's adapter responds
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
 * @RPCRDMA_NL_DETAIL_NONE: the reason says it all
 * @RPCRDMA_NL_DETAIL_CONNECT: establishing the connection
 * @RPCRDMA_NL_DETAIL_PROBE: the keepalive probe
 * @RPCRDMA_NL_DETAIL_RECEIVE: a Receive
 * @RPCRDMA_NL_DETAIL_SEND: a Send
 * @RPCRDMA_NL_DETAIL_READ: an RDMA Read of a call
 * @RPCRDMA_NL_DETAIL_WRITE: an RDMA Write of a reply
 * @RPCRDMA_NL_DETAIL_REGION: registering or invalidating memory
 * @RPCRDMA_NL_DETAIL_QUEUE_PAIR: an asynchronous event of the Queue Pair
 * @RPCRDMA_NL_DETAIL_FLUSHED: all Work Requests were flushed, without an error
 *	that explains why
 * @RPCRDMA_NL_DETAIL_SHORT: a message without an XID
 * @RPCRDMA_NL_DETAIL_OVERLONG: a message longer than our Receives
 * @RPCRDMA_NL_DETAIL_INVALIDATION: the invalidation of a handle that was not
 *	offered
 * @RPCRDMA_NL_DETAIL_PROPERTIES: more requests for properties than may be
 *	unanswered
 * @RPCRDMA_NL_DETAIL_CALL: a call or its Read chunks
 * @RPCRDMA_NL_DETAIL_REPLY: a reply or its chunks
 * @RPCRDMA_NL_DETAIL_BACKLOG: too many connect requests were waiting
 * @RPCRDMA_NL_DETAIL_NO_READS: the client's adapter permits no RDMA Reads
 * @RPCRDMA_NL_DETAIL_RESOURCES: allocating queues and Receives of the
 *	connection
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

/* Highest numbers, used by code generated from the YAML */
#define RPCRDMA_NL_ATTR_MAX	(RPCRDMA_NL_ATTRS - 1)
#define RPCRDMA_NL_PROP_MAX	(RPCRDMA_NL_PROPS - 1)

#endif /* _RPCRDMA_NETLINK_H */
