#include "nodes/control/control_roce.h"

/* as in control.c: packing and unpacking copy by the same list */
/* clang-format off */
#define ROCE_FIELDS(F)                                                                                                \
	F(pfc) F(pause) F(cnp_class) F(buffer_bytes) F(supplement) F(increase_period_ps) F(reference_permille)         \
	F(path_pause) F(path_target) F(path_form) F(path_high_bytes) F(path_low_bytes) F(flows_max) F(watchdog_ps)   \
	F(idle_ps) F(path_per_bps)
#define CLASS_FIELDS(F)                                                                                               \
	F(lossless) F(ecn) F(kmin_bytes) F(kmax_bytes) F(pmax_ppm) F(queue_bytes_max) F(alpha_permille) F(xoff_bytes)  \
	F(xon_offset_bytes) F(watched) F(mark_at_dequeue) F(kmin_per_bps) F(kmax_per_bps)
#define DCQCN_FIELDS(F)                                                                                               \
	F(enabled) F(g_ppb) F(alpha_initial_ppm) F(alpha_first) F(alpha_timer_ps) F(increase_timer_ps)                 \
	F(byte_counter_bytes) F(fast_recovery) F(ai_bps) F(hai_bps) F(rate_min_bps) F(rate_initial_bps)                \
	F(cut_interval_ps) F(clamp_target) F(cnp_interval_ps) F(hyper_by_timer) F(react_on_tick)
#define QUEUE_PAIR_FIELDS(F) F(ack_packets) F(window_bytes) F(timeout_ps) F(retries)
#define TCP_FIELDS(F) F(initial_packets) F(window_packets_max) F(ecn) F(rto_min_ps)
/* clang-format on */

#define COPY(field) to->field = (__typeof__(to->field))from->field;

#define SAME(wire, here)                                   \
	_Static_assert((int)HEDDLE__##wire == (int)(here), \
		       "control.proto and roce_config.h disagree")
SAME(ROCE_STATE__ECN_NORMAL, ROCE_ECN_NORMAL);
SAME(ROCE_STATE__ECN_FAILED, ROCE_ECN_FAILED);
SAME(ROCE_STATE__CNP_FAILED, ROCE_CNP_FAILED);
SAME(PATH_PAUSE_FORM__TARGET_CLASSES, PATH_PAUSE_TARGET);
SAME(PATH_PAUSE_FORM__ALL_CLASSES, PATH_PAUSE_ALL);
SAME(PATH_PAUSE_FORM__NO_CLASS, PATH_PAUSE_NONE);
SAME(PATH_PAUSE_FORM__WHOLE_PORT, PATH_PAUSE_PORT);

/* ---- packing ---- */

static void class_pack(Heddle__RoceClassConfig *to, const struct roce_class_config *from)
{
	heddle__roce_class_config__init(to);
	CLASS_FIELDS(COPY)
}

static void dcqcn_pack(Heddle__DcqcnConfig *to, const struct dcqcn_config *from)
{
	heddle__dcqcn_config__init(to);
	DCQCN_FIELDS(COPY)
}

static void queue_pair_pack(Heddle__QueuePairConfig *to, const struct queue_pair_config *from)
{
	heddle__queue_pair_config__init(to);
	QUEUE_PAIR_FIELDS(COPY)
}

static void tcp_pack(Heddle__TcpConfig *to, const struct tcp_config *from)
{
	heddle__tcp_config__init(to);
	TCP_FIELDS(COPY)
}

Heddle__RoceConfig *control_roce_pack(struct control_roce_packing *packing,
				      const struct roce_config *from)
{
	Heddle__RoceConfig *to = &packing->roce;

	heddle__roce_config__init(to);
	ROCE_FIELDS(COPY)
	to->classes = packing->class_table;
	to->n_classes = ROCE_CLASSES_MAX;
	for (uint32_t i = 0; i < ROCE_CLASSES_MAX; i++) {
		packing->class_table[i] = &packing->classes[i];
		class_pack(&packing->classes[i], &from->classes[i]);
	}
	dcqcn_pack(&packing->dcqcn, &from->dcqcn);
	queue_pair_pack(&packing->queue_pair, &from->queue_pair);
	tcp_pack(&packing->tcp, &from->tcp);
	to->dcqcn = &packing->dcqcn;
	to->queue_pair = &packing->queue_pair;
	to->tcp = &packing->tcp;
	return to;
}

/* ---- unpacking ---- */

static void class_unpack(struct roce_class_config *to, const Heddle__RoceClassConfig *from)
{
	CLASS_FIELDS(COPY)
}

static void dcqcn_unpack(struct dcqcn_config *to, const Heddle__DcqcnConfig *from)
{
	DCQCN_FIELDS(COPY)
}

static void queue_pair_unpack(struct queue_pair_config *to, const Heddle__QueuePairConfig *from)
{
	QUEUE_PAIR_FIELDS(COPY)
}

static void tcp_unpack(struct tcp_config *to, const Heddle__TcpConfig *from)
{
	TCP_FIELDS(COPY)
}

bool control_roce_unpack(struct roce_config *to, const Heddle__RoceConfig *from)
{
	if (from->n_classes > ROCE_CLASSES_MAX)
		return false;
	ROCE_FIELDS(COPY)
	for (uint32_t i = 0; i < from->n_classes; i++)
		class_unpack(&to->classes[i], from->classes[i]);
	if (from->dcqcn)
		dcqcn_unpack(&to->dcqcn, from->dcqcn);
	if (from->queue_pair)
		queue_pair_unpack(&to->queue_pair, from->queue_pair);
	if (from->tcp)
		tcp_unpack(&to->tcp, from->tcp);
	return true;
}
