/* SPDX-License-Identifier: GPL-2.0-only */
/* Constants of the RPC-over-RDMA wire formats, and segments. */
#ifndef _RPCRDMA_WIRE_H
#define _RPCRDMA_WIRE_H

#include <rpcrdma/platform.h>

/* The length of every XDR item is a multiple of this many bytes. */
#define RPCRDMA_XDR_UNIT	4u

/* Bytes that @len bytes of opaque data occupy in XDR; 0 if that overflows */
static inline u32 rpcrdma_xdr_align(u32 len)
{
	return (len + RPCRDMA_XDR_UNIT - 1) & ~(RPCRDMA_XDR_UNIT - 1);
}

/**
 * struct rpcrdma_segment - a range of registered memory
 * @handle: steering tag (R_key)
 * @length: bytes
 * @offset: address of the first byte, as registered
 */
struct rpcrdma_segment {
	u32 handle;
	u32 length;
	u64 offset;
};

/**
 * struct rpcrdma_read_segment - an entry of a Read list
 * @position: byte offset in the XDR stream; entries of one chunk share it
 * @seg: the memory to be read
 */
struct rpcrdma_read_segment {
	u32 position;
	struct rpcrdma_segment seg;
};

/* RFC 5666 section 4.2: rdma_vers */
enum rpcrdma_version {
	RPCRDMA_VERSION_1	= 1,
	RPCRDMA_VERSION_2	= 2,
};

/* RFC 5666 section 4.3: enum rdma_proc */
enum rpcrdma_type {
	RPCRDMA_MSG		= 0,
	RPCRDMA_NOMSG		= 1,
	RPCRDMA_MSGP		= 2,
	RPCRDMA_DONE		= 3,
	RPCRDMA_ERROR		= 4,
};

/* RFC 5666 section 4.3: enum rpc_rdma_errcode; compare enum rpcrdma2_errcode */
enum rpcrdma_errcode {
	RPCRDMA_ERR_VERS	= 1,
	RPCRDMA_ERR_CHUNK	= 2,
};

/*
 * Sizes in bytes.
 *
 * @RPCRDMA_V1_FIXED_SIZE: xid, version, credits and type
 * @RPCRDMA_V1_MIN_SIZE: the fixed part and three empty chunk lists
 * @RPCRDMA_SEGMENT_SIZE: handle, length and offset
 * @RPCRDMA_READ_SEGMENT_SIZE: an entry of a Read list: list discriminator,
 *	position and segment
 * @RPCRDMA_V1_MSGP_EXTRA: the two words of RDMA_MSGP before its chunk lists
 * @RPCRDMA_V1_ERR_VERS_SIZE: a complete RDMA_ERROR with ERR_VERS
 * @RPCRDMA_V1_INLINE_DEFAULT: inline threshold of a peer that has sent no
 *	private data (RFC 8166 section 3.3.2)
 */
#define RPCRDMA_V1_FIXED_SIZE		16u
#define RPCRDMA_V1_MIN_SIZE		28u
#define RPCRDMA_SEGMENT_SIZE		16u
#define RPCRDMA_READ_SEGMENT_SIZE	24u
#define RPCRDMA_V1_MSGP_EXTRA		8u
#define RPCRDMA_V1_ERR_VERS_SIZE	28u
#define RPCRDMA_V1_INLINE_DEFAULT	1024u

/*
 * Version 2 is defined by draft-cel-nfsv4-rpcrdma-version-two-09, the "v2
 * draft".
 *
 * Section 5.2. The OPTIONAL types REQPROP, RESPROP and UPDPROP have the numbers
 * that earlier revisions of the draft gave them, and the bodies of REQ_XCHAR,
 * RESP_XCHAR and UPD_XCHAR of the Transport Characteristics draft (section 4).
 * RDMA2_DONE has the number that it has in version 1.
 */
enum rpcrdma2_htype {
	RPCRDMA2_MSG		= 0,
	RPCRDMA2_NOMSG		= 1,
	RPCRDMA2_DONE		= 3,
	RPCRDMA2_ERROR		= 4,
	RPCRDMA2_CONNPROP	= 5,
	RPCRDMA2_REQPROP	= 7,
	RPCRDMA2_RESPROP	= 8,
	RPCRDMA2_UPDPROP	= 9,
};

/**
 * rpcrdma_v2_changes_props - test whether messages of a header type change
 *	properties
 * @type: header type; need not be an enum rpcrdma2_htype
 *
 * Transport Characteristics draft section 4.
 *
 * Context: any.
 * Return: true for REQPROP, RESPROP and UPDPROP.
 */
static inline bool rpcrdma_v2_changes_props(u32 type)
{
	return type >= RPCRDMA2_REQPROP && type <= RPCRDMA2_UPDPROP;
}

/* Bits of these types in the HTYPES property. We announce all of them or none. */
#define RPCRDMA2_CHANGE_HTYPES	(BIT(RPCRDMA2_REQPROP) | \
				 BIT(RPCRDMA2_RESPROP) | \
				 BIT(RPCRDMA2_UPDPROP))

/* v2 draft section 3.2 */
#define RPCRDMA2_F_RESPONSE	0x00000001u

/* v2 draft section 6.4 */
enum rpcrdma2_errcode {
	RPCRDMA2_ERR_VERS		= 1,
	RPCRDMA2_ERR_BAD_XDR		= 2,
	RPCRDMA2_ERR_INVAL_HTYPE	= 3,
	RPCRDMA2_ERR_READ_CHUNKS	= 4,
	RPCRDMA2_ERR_WRITE_CHUNKS	= 5,
	RPCRDMA2_ERR_SEGMENTS		= 6,
	RPCRDMA2_ERR_WRITE_RESOURCE	= 7,
	RPCRDMA2_ERR_REPLY_RESOURCE	= 8,
	RPCRDMA2_ERR_SYSTEM		= 9,
};

/*
 * v2 draft section 4.2. The last four are ours, from the range that the
 * Transport Characteristics draft (section 6.3) reserves for experiments.
 */
enum rpcrdma2_propid {
	RPCRDMA2_PROP_RBSIZ		= 1,
	RPCRDMA2_PROP_BRS		= 2,
	RPCRDMA2_PROP_REMOTE_INV	= 0xffffff01,
	RPCRDMA2_PROP_READ_REPLIES	= 0xffffff02,
	RPCRDMA2_PROP_HTYPES		= 0xffffff03,
	RPCRDMA2_PROP_NOCHANGE		= 0xffffff04,
};

/* v2 draft section 4.2.2 */
enum rpcrdma2_rvreqsup {
	RPCRDMA2_RVREQSUP_NONE		= 0,
	RPCRDMA2_RVREQSUP_INLINE	= 1,
	RPCRDMA2_RVREQSUP_GENL		= 2,
};

/*
 * Sizes in bytes.
 *
 * @RPCRDMA2_PREFIX_SIZE: xid, version, credits, type and flags
 * @RPCRDMA2_MIN_SIZE: prefix, rdma_inv_handle and three empty chunk lists
 * @RPCRDMA2_INLINE_DEFAULT: default Receive Buffer Size (v2 draft section 4.2)
 * @RPCRDMA2_FIRST_MAX: longest first message of a client (section 7)
 * @RPCRDMA2_RECV_MIN: a smaller Receive Buffer Size counts as this size. Our
 *	RDMA2_CONNPROP (104 bytes) and every error fit; a peer whose Receives
 *	are too small for them cannot use version 2.
 * @RPCRDMA2_REQPROP_MAX: number of properties, not bytes; an RDMA2_REQPROP with
 *	more is refused
 */
#define RPCRDMA2_PREFIX_SIZE		20u
#define RPCRDMA2_MIN_SIZE		36u
#define RPCRDMA2_INLINE_DEFAULT		4096u
#define RPCRDMA2_FIRST_MAX		1024u
#define RPCRDMA2_RECV_MIN		128u
#define RPCRDMA2_REQPROP_MAX		32u

/* RFC 8797 section 4: the CM private message */
#define RPCRDMA_PRIVATE_MAGIC		0xf6ab0e18u
#define RPCRDMA_PRIVATE_VERSION		1u
#define RPCRDMA_PRIVATE_F_REMOTE_INV	0x01u
#define RPCRDMA_PRIVATE_SIZE		8u
/* Sizes are sent in units of 1024 bytes, minus one. */
#define RPCRDMA_PRIVATE_UNIT		1024u
#define RPCRDMA_PRIVATE_MAX_SIZE	(256u * RPCRDMA_PRIVATE_UNIT)

/* The version hint after the CM private message (Documentation/protocol.rst) */
#define RPCRDMA_HINT_MAGIC		0x7b9e50d4u
#define RPCRDMA_HINT_VERSION		1u
#define RPCRDMA_HINT_SIZE		16u
/* Name of the document that defines our version 2, padded with zeros */
#define RPCRDMA_HINT_TEXT		"cel-09\0"
#define RPCRDMA_HINT_TEXT_SIZE		8u
/* The longest that we send. On InfiniBand, the CM has room for 56 bytes. */
#define RPCRDMA_PRIVATE_MAX		(RPCRDMA_PRIVATE_SIZE + RPCRDMA_HINT_SIZE)

#endif /* _RPCRDMA_WIRE_H */
