/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Model of svcrdma/verbs/recv_cq.c: an adapter that calls the completion handler,
 * and the threads that poll the completion queue. The steps are those of the
 * comment there. Each is atomic, and they are executed in program order: the
 * barriers in the code are what allows this.
 *
 * Proved for every order of the steps: each message is taken, no thread polls
 * while another one does, and in the end no thread is queued for nothing.
 */

#ifndef MESSAGES
#define MESSAGES	4
#endif
#ifndef BUDGET
#define BUDGET		2
#endif

byte cq;			/* completions in the queue */
bool armed = true;
bool recv_event, data, busy;
byte queued;			/* entries in sunrpc's queue of transports */
byte polled;			/* messages in recv_done */
byte taken;
byte arrived;
byte polling;			/* threads that are polling */

inline enqueue() {
	atomic {
		if
		:: data && !busy -> busy = true; queued++
		:: else
		fi
	}
}

/*
 * The adapter adds completions. With the queue armed, that calls the handler,
 * which may be delayed: other completions may be added meanwhile.
 */
proctype handler() {
	recv_event = true;	/* H1 */
	data = true;		/* H2 */
	enqueue()		/* H3 */
}

active proctype adapter() {
	do
	:: arrived < MESSAGES ->
		atomic {
			arrived++;
			cq++;
			if
			:: armed -> armed = false; run handler()
			:: else
			fi
		}
	:: else -> break
	od
}

byte n;

active [2] proctype thread() {
	do
	:: atomic { queued > 0 -> queued-- };
		polling++;
		assert(polling == 1);
		if
		:: polled == 0 && recv_event ->
			/* T1 */
			atomic {
				n = (cq < BUDGET -> cq : BUDGET);
				cq = cq - n;
				polled = polled + n
			};
			if
			:: n == BUDGET
			:: else ->
#ifdef NO_T2_FIRST
				atomic {
					armed = true;
					n = cq
				};
				recv_event = false;
#else
				recv_event = false;	/* T2 */
				atomic {		/* T3 */
					armed = true;
					n = cq
				};
#endif
				if
				:: n > 0 -> recv_event = true
				:: else
				fi
			fi
		:: else
		fi;
		if
		:: polled > 0 -> polled--; taken++
		:: else
		fi;
		if
		:: polled == 0 ->
			data = false;			/* T4 */
#ifndef NO_T5
			if				/* T5 */
			:: recv_event -> data = true
			:: else
			fi
#endif
		:: else
		fi;
		polling--;
		busy = false;				/* T6 */
		enqueue()
	:: timeout ->
		assert(taken == MESSAGES);
		assert(!data && cq == 0 && armed);
		break
	od
}
