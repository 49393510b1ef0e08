// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue Pairs of an adapter. Work Requests that exceed its limits are refused.
 * A queue has as many entries as were asked for, and an entry is free only
 * after its completion, or a later one, has been polled. A chain of Work
 * Requests may be posted in part. Completion handlers may be called before the
 * posting function returns. After an error, executed unsignaled Work Requests
 * may be flushed.
 */

#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include "adapter.h"

/* The limit of the software devices; no profile has a higher one. */
#define ADAPTER_MAX_SGE	32

/* An entry of a Send Queue */
struct adapter_send {
	u64	wr_id;		/* of the Work Request */
	bool	signaled;	/* completes also on success */
};

/* Queue Pair of a kernel user */
struct adapter_qp {
	spinlock_t		lock;	/* for the members below; held while posting */
	struct ib_cq		*send_cq;
	struct ib_cq		*recv_cq;
	struct ib_qp_cap	cap;	/* as asked for */
	u32			recvs;	/* Receives posted but not completed */
	u32			head;	/* Work Requests posted to the Send Queue */
	u32			tail;	/* Work Requests of the Send Queue that have completed */
	u32			tried;	/* attempts to post, for post_fails */
	struct ib_sge		sge[ADAPTER_MAX_SGE];	/* scratch space for posting */
	bool			signal_all;	/* each Work Request is signaled */
	struct adapter_send	sends[];	/* ring of entries from @tail to @head */
};

/* Any Work Request that a kernel user posts to a Queue Pair of these devices */
union adapter_wr {
	struct ib_send_wr	wr;
	struct ib_rdma_wr	rdma;
	struct ib_reg_wr	reg;
	struct ib_ud_wr		ud;
};

/* Indexed by the address of a struct ib_qp */
static DEFINE_XARRAY(adapter_qps);

static struct adapter_qp *adapter_qp_find(const struct ib_qp *qp)
{
	return xa_load(&adapter_qps, (unsigned long)qp);
}

static bool adapter_cap_fits(const struct ib_device_attr *attrs, const struct ib_qp_cap *cap)
{
	return cap->max_send_sge <= attrs->max_send_sge &&
	       cap->max_recv_sge <= attrs->max_recv_sge &&
	       cap->max_send_wr <= attrs->max_qp_wr &&
	       cap->max_recv_wr <= attrs->max_qp_wr;
}

static void adapter_qp_free(struct adapter_qp *aqp)
{
	adapter_cq_release(aqp->send_cq, aqp->cap.max_send_wr);
	adapter_cq_release(aqp->recv_cq, aqp->cap.max_recv_wr);
	kfree(aqp);
}

static struct adapter_qp *adapter_qp_alloc(const struct ib_qp_init_attr *attr)
{
	struct adapter_qp *aqp;

	aqp = kzalloc(struct_size(aqp, sends, attr->cap.max_send_wr), GFP_KERNEL);
	if (!aqp)
		return NULL;
	spin_lock_init(&aqp->lock);
	aqp->send_cq = attr->send_cq;
	aqp->recv_cq = attr->recv_cq;
	aqp->cap = attr->cap;
	aqp->signal_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	adapter_cq_reserve(aqp->send_cq, aqp->cap.max_send_wr);
	adapter_cq_reserve(aqp->recv_cq, aqp->cap.max_recv_wr);
	return aqp;
}

static int adapter_create_kernel_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr)
{
	const struct ib_device_ops *driver = adapter_driver(qp->device);
	struct adapter_qp *aqp;
	int ret;

	adapter_step(qp->device);
	if (!adapter_cap_fits(&qp->device->attrs, &attr->cap))
		return -EINVAL;
	/* Copy @attr first: the driver rounds its values up. */
	aqp = adapter_qp_alloc(attr);
	if (!aqp)
		return -ENOMEM;
	ret = driver->create_qp(qp, attr, NULL);
	if (!ret) {
		ret = xa_err(xa_store(&adapter_qps, (unsigned long)qp, aqp, GFP_KERNEL));
		if (ret)
			driver->destroy_qp(qp, NULL);
	}
	if (ret)
		adapter_qp_free(aqp);
	return ret;
}

static int adapter_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr,
			     struct ib_udata *udata)
{
	if (udata || attr->srq)
		return adapter_driver(qp->device)->create_qp(qp, attr, udata);
	return adapter_create_kernel_qp(qp, attr);
}

static int adapter_destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	struct adapter_qp *aqp = adapter_qp_find(qp);
	int ret;

	adapter_step(qp->device);
	/* Do this before the driver frees @qp: another Queue Pair may get its address. */
	if (aqp)
		xa_erase(&adapter_qps, (unsigned long)qp);
	ret = adapter_driver(qp->device)->destroy_qp(qp, udata);
	if (aqp)
		adapter_qp_free(aqp);
	return ret;
}

static bool adapter_is_read(const struct ib_send_wr *wr)
{
	return wr->opcode == IB_WR_RDMA_READ || wr->opcode == IB_WR_RDMA_READ_WITH_INV;
}

static void adapter_copy_wr(union adapter_wr *to, const struct ib_qp *qp,
			    const struct ib_send_wr *wr)
{
	if (qp->qp_type == IB_QPT_GSI)
		to->ud = *ud_wr(wr);
	else if (wr->opcode == IB_WR_REG_MR)
		to->reg = *reg_wr(wr);
	else if (adapter_is_read(wr) || wr->opcode == IB_WR_RDMA_WRITE)
		to->rdma = *rdma_wr(wr);
	else
		to->wr = *wr;
	to->wr.next = NULL;
}

/*
 * Convert addresses, except for those in memory regions, which the software
 * device has assigned. Other memory must be physically contiguous, not only
 * joined by an IOMMU.
 */
static void adapter_copy_sge(struct ib_sge *to, const struct ib_qp *qp,
			     const struct ib_sge *from, int n)
{
	u64 last;
	int i;

	for (i = 0; i < n; i++) {
		to[i] = from[i];
		if (!adapter_dma || !from[i].length || from[i].lkey != qp->pd->local_dma_lkey)
			continue;
		to[i].addr = adapter_virtual(qp->device, from[i].addr);
		last = adapter_virtual(qp->device, from[i].addr + from[i].length - 1);
		WARN_ONCE(last - to[i].addr != from[i].length - 1,
			  "an IOMMU has joined pages: ib_core.force_mr=1 is needed\n");
	}
}

/* Returns the error with which a driver would refuse the Work Request, or 0. */
static int adapter_send_refused(struct adapter_qp *aqp, const struct ib_send_wr *wr)
{
	u32 most = aqp->cap.max_send_sge, fails = READ_ONCE(adapter_post_fails);

	if (fails && ++aqp->tried % fails == 0)
		return -ENOMEM;
	if (adapter_is_read(wr) && adapter_is.read_sge)
		most = min(most, adapter_is.read_sge);
	if (wr->num_sge > min_t(u32, most, ADAPTER_MAX_SGE))
		return -EINVAL;
	if (WARN_ONCE(aqp->head - aqp->tail == aqp->cap.max_send_wr, "a Send Queue is full\n"))
		return -ENOMEM;
	return 0;
}

static int adapter_post_one_send(struct ib_qp *qp, struct adapter_qp *aqp,
				 const struct ib_send_wr *wr)
{
	const struct ib_send_wr *bad;
	union adapter_wr copy;
	int ret = adapter_send_refused(aqp, wr);

	adapter_step(qp->device);
	if (ret)
		return ret;
	adapter_copy_wr(&copy, qp, wr);
	adapter_copy_sge(aqp->sge, qp, wr->sg_list, wr->num_sge);
	copy.wr.sg_list = aqp->sge;
	aqp->sends[aqp->head % aqp->cap.max_send_wr] = (struct adapter_send){
		.wr_id		= wr->wr_id,
		.signaled	= aqp->signal_all || wr->send_flags & IB_SEND_SIGNALED,
	};
	ret = adapter_driver(qp->device)->post_send(qp, &copy.wr, &bad);
	if (!ret)
		aqp->head++;
	return ret;
}

/* As with every driver, Work Requests before one that cannot be posted are posted. */
static int adapter_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
			     const struct ib_send_wr **bad_wr)
{
	struct adapter_qp *aqp = adapter_qp_find(qp);
	unsigned long flags;
	int ret = 0;

	if (!aqp)
		return adapter_driver(qp->device)->post_send(qp, wr, bad_wr);
	spin_lock_irqsave(&aqp->lock, flags);
	for (; wr && !ret; wr = wr->next) {
		ret = adapter_post_one_send(qp, aqp, wr);
		if (ret)
			*bad_wr = wr;
	}
	spin_unlock_irqrestore(&aqp->lock, flags);
	adapter_cq_posted(aqp->send_cq);
	return ret;
}

static int adapter_post_one_recv(struct ib_qp *qp, struct adapter_qp *aqp,
				 const struct ib_recv_wr *wr)
{
	struct ib_recv_wr copy = *wr;
	const struct ib_recv_wr *bad;
	int ret;

	adapter_step(qp->device);
	if (wr->num_sge > min_t(u32, aqp->cap.max_recv_sge, ADAPTER_MAX_SGE))
		return -EINVAL;
	if (WARN_ONCE(aqp->recvs == aqp->cap.max_recv_wr, "a Receive Queue is full\n"))
		return -ENOMEM;
	adapter_copy_sge(aqp->sge, qp, wr->sg_list, wr->num_sge);
	copy.next = NULL;
	copy.sg_list = aqp->sge;
	ret = adapter_driver(qp->device)->post_recv(qp, &copy, &bad);
	if (!ret)
		aqp->recvs++;
	return ret;
}

static int adapter_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
			     const struct ib_recv_wr **bad_wr)
{
	struct adapter_qp *aqp = adapter_qp_find(qp);
	unsigned long flags;
	int ret = 0;

	if (!aqp)
		return adapter_driver(qp->device)->post_recv(qp, wr, bad_wr);
	spin_lock_irqsave(&aqp->lock, flags);
	for (; wr && !ret; wr = wr->next) {
		ret = adapter_post_one_recv(qp, aqp, wr);
		if (ret)
			*bad_wr = wr;
	}
	spin_unlock_irqrestore(&aqp->lock, flags);
	adapter_cq_posted(aqp->recv_cq);
	return ret;
}

/*
 * Find the completed Work Request in the Send Queue. Of several with the same
 * identifier, it is the first signaled one or, after an error, the first.
 */
static bool adapter_send_find(struct adapter_qp *aqp, const struct ib_wc *wc, u32 *pos)
{
	const struct adapter_send *send;
	u32 i;

	for (i = aqp->tail; i != aqp->head; i++) {
		send = &aqp->sends[i % aqp->cap.max_send_wr];
		if (send->wr_id == wc->wr_id && (send->signaled || wc->status)) {
			*pos = i;
			return true;
		}
	}
	return false;
}

/* Complete a Work Request and those before it. Returns false if it is not in the Send Queue. */
static bool adapter_send_completed(struct adapter_qp *aqp, const struct ib_wc *wc)
{
	u32 pos;

	if (!adapter_send_find(aqp, wc, &pos))
		return false;
	aqp->tail = pos + 1;
	return true;
}

/**
 * adapter_qp_flush - flush an executed Work Request
 * @wc: completion that has not been reported yet
 * @flushed: set to the completion of a Work Request before it
 *
 * Some drivers search for unexecuted Work Requests after the last one whose
 * completion was polled. They also flush unsignaled Work Requests that were
 * executed.
 *
 * Context: any.
 * Return: true if @wc failed and there is a Work Request before it.
 */
bool adapter_qp_flush(const struct ib_wc *wc, struct ib_wc *flushed)
{
	struct adapter_qp *aqp = wc->status ? adapter_qp_find(wc->qp) : NULL;
	unsigned long flags;
	bool found;
	u32 pos;

	if (!aqp)
		return false;
	spin_lock_irqsave(&aqp->lock, flags);
	found = adapter_send_find(aqp, wc, &pos) && pos != aqp->tail;
	if (found)
		*flushed = (struct ib_wc){
			.wr_id	= aqp->sends[aqp->tail++ % aqp->cap.max_send_wr].wr_id,
			.status	= IB_WC_WR_FLUSH_ERR,
			.qp	= wc->qp,
		};
	spin_unlock_irqrestore(&aqp->lock, flags);
	return found;
}

/* Account for a polled completion of any Queue Pair. Context: any, including hard interrupt. */
void adapter_qp_completed(const struct ib_wc *wc)
{
	struct adapter_qp *aqp = adapter_qp_find(wc->qp);
	unsigned long flags;

	if (!aqp)
		return;
	spin_lock_irqsave(&aqp->lock, flags);
	/* A failed completion has no defined opcode. */
	if ((wc->status == IB_WC_SUCCESS && wc->opcode & IB_WC_RECV) ||
	    !adapter_send_completed(aqp, wc))
		aqp->recvs -= !!aqp->recvs;
	spin_unlock_irqrestore(&aqp->lock, flags);
}

void adapter_change_qps(struct ib_device_ops *ops)
{
	ops->create_qp = adapter_create_qp;
	ops->destroy_qp = adapter_destroy_qp;
	ops->post_send = adapter_post_send;
	ops->post_recv = adapter_post_recv;
}
