/*  statistics - every counter of a node, a port and a traffic class: one row each.
 *
 *  A row is all that a counter needs, apart from the line that counts. From it follow the field
 *  (stats.h), its name at the prompt, its key in JSON, its column in CSV, its metric
 *  (orchestrator/results/statistics.h, metric.c) and its row in docs/results.md. Names are an
 *  interface: the field's name is the key and the column.
 *
 *      OWN(field, unit, what)                             read by code only, not shown as it is
 *      SHOWN(field, unit, fold, what)                     prompt, JSON, CSV
 *      METRIC(field, unit, fold, what, "metric", scope)   the same, and a metric of `expect:`
 *
 *  unit   COUNT, BYTES, UNITS (of 256 bytes), PS, NS, BPS, MOMENT (ps since the start; 0: never),
 *         SET (bits)
 *  fold   one value of several ports: SUM, MAX, LEAST (of those that are not 0)
 *  scope  ports of a metric without argument: SWITCHES, NICS or NODES (both)
 *  A list is one concern. Lists of ports are in the order of struct port_stats; the first three
 *  fill one cache line each. A row is added at the end of its list, or at the place that its column
 *  is to have, and STATS_VERSION goes up. */
#ifndef HEDDLE_NODES_STATS_STATISTICS_H
#define HEDDLE_NODES_STATS_STATISTICS_H

#define STATS_VERSION 16u /* of struct stats_page and all that it contains */

/* clang-format off */

/* line 0 - sending on the link, and the queue of the output: a frame that is sent */
#define PORT_OUTPUT_STATISTICS(OWN, SHOWN, METRIC) \
	SHOWN(tx_frames, COUNT, SUM, "frames sent on the link") \
	SHOWN(tx_bytes, BYTES, SUM, "sent on the link, with FCS, without gap") \
	SHOWN(tx_packets, COUNT, SUM, "data packets sent") \
	SHOWN(tx_busy_ps, PS, SUM, "link time of what was sent, gaps included") \
	OWN(tx_busy_measured_ps, PS, "the part of tx_busy_ps inside the measured interval") \
	SHOWN(queue_bytes, BYTES, SUM, \
	      "waiting for this output: requested, or in the output queue; at a NIC, of " \
	      "messages") \
	SHOWN(queue_bytes_max, BYTES, MAX, "the maximum of queue_bytes") \
	OWN(queue_byte_ns_sum, COUNT, \
	    "integral of queue_bytes over the measured interval, byte ns")

/* line 1 - receiving, and the tables of the input: a frame that arrives */
#define PORT_INPUT_STATISTICS(OWN, SHOWN, METRIC) \
	SHOWN(rx_frames, COUNT, SUM, "frames received") \
	SHOWN(rx_bytes, BYTES, SUM, "received, with FCS, without gap") \
	SHOWN(rx_packets, COUNT, SUM, "data packets received") \
	METRIC(input_units_max, UNITS, MAX, \
	       "the most data in the input buffer", "buffer.max", SWITCHES) \
	SHOWN(efct_used, COUNT, SUM, "lines of the EFCT in use") \
	METRIC(efct_used_max, COUNT, MAX, "the maximum of efct_used", "channels.max", SWITCHES) \
	SHOWN(ifct_used, COUNT, SUM, "lines of the IFCT in use") \
	SHOWN(ifct_used_max, COUNT, MAX, "the maximum of ifct_used")

/* line 2 - acknowledgements, the table of the output, stops by the peer: an ACK, a stop */
#define PORT_PEER_STATISTICS(OWN, SHOWN, METRIC) \
	SHOWN(ack_frames, COUNT, SUM, "ACK frames sent") \
	SHOWN(acks, COUNT, SUM, "ACKs in the ACK frames sent") \
	SHOWN(words, COUNT, SUM, "link control words sent") \
	SHOWN(ofct_used, COUNT, SUM, "lines of the OFCT in use") \
	SHOWN(ofct_used_max, COUNT, MAX, "the maximum of ofct_used") \
	SHOWN(channel_waits, COUNT, SUM, "packets that waited for a free channel (FC-9)") \
	SHOWN(paused_ps, PS, SUM, \
	      "time in which data waited for the peer: its buffer, the ring or the guard's log " \
	      "was full") \
	OWN(paused_since_ps, MOMENT, \
	    "data waits for the peer, and paused_ps counts up to then; 0: it does not")

/* losses and drops: rare */
#define PORT_LOSS_STATISTICS(OWN, SHOWN, METRIC) \
	SHOWN(lost_frames, COUNT, SUM, "frames sent and lost on the link") \
	SHOWN(lost_bytes, BYTES, SUM, "data packets' inner frames lost on the link") \
	SHOWN(lost_packets, COUNT, SUM, "data packets lost on the link") \
	METRIC(reordered, COUNT, SUM, \
	       "packets that arrived here after later ones, as the link is configured", \
	       "link.reordered", NODES) \
	METRIC(duplicated, COUNT, SUM, \
	       "packets that arrived here a second time, as the link is configured", \
	       "link.duplicated", NODES) \
	METRIC(corrupted, COUNT, SUM, \
	       "packets that arrived here damaged, as the link is configured", \
	       "link.corrupted", NODES) \
	OWN(duplicated_bytes, BYTES, "inner frames of the packets duplicated") \
	OWN(lost_units, UNITS, "data units of the packets lost on the link") \
	OWN(dropped_bytes, BYTES, \
	    "inner frames that arrived here and were dropped, for any reason") \
	OWN(dropped_frames, COUNT, "frames dropped here, for any reason") \
	SHOWN(loss_reports, COUNT, SUM, \
	      "losses reported to this port as the source's: ingress edge or NIC (FC-17)") \
	SHOWN(loss_report_units, UNITS, SUM, "data units in loss_reports") \
	SHOWN(hole_units, UNITS, SUM, \
	      "positions missing in arriving flows, reported upstream from here (FC-17)") \
	SHOWN(tail_units, UNITS, SUM, \
	      "lost on the link out of here with nothing after it, so no hole (FC-17)") \
	OWN(ring_full_ps, PS, \
	    "real clock: time in which a full ring delayed what could have been sent (TB-8)") \
	OWN(capture_error, COUNT, "errno: the capture of this port's link ended early")

/* congestion control of flow channels */
#define PORT_CONGESTION_STATISTICS(OWN, SHOWN, METRIC) \
	/* of an egress edge port */ \
	METRIC(eca_acks, COUNT, SUM, \
	       "at a port to a host: ACK_ECAs made (EC-2)", "eca.acks", SWITCHES) \
	METRIC(eca_max, COUNT, MAX, "the greatest factor in an ACK_ECA", "eca.max", SWITCHES) \
	SHOWN(eca_first_ps, MOMENT, LEAST, "when the first ACK_ECA was made") \
	SHOWN(delta_eca_acks, COUNT, SUM, "ACK_DELTA_ECAs made (EC-3)") \
	SHOWN(ecn_packets, COUNT, SUM, \
	      "at a port to a host: packets with ECN's CE that made their flow a source (FC-24)") \
	/* of an input */ \
	SHOWN(acks_rewritten, COUNT, SUM, \
	      "ACKs that went upstream with the congestion of their flow's queue here (FC-12)") \
	SHOWN(limited_first_ps, MOMENT, LEAST, "when the first ACK_ECA arrived") \
	METRIC(limited, COUNT, SUM, "flows under endpoint congestion now", "limited", SWITCHES) \
	SHOWN(extent_units, UNITS, SUM, \
	      "at a port from a host: the sum of the flow extents (EC-9)") \
	METRIC(extent_units_max, UNITS, MAX, \
	       "the maximum of extent_units", "extent.max", SWITCHES) \
	METRIC(blocked_extent, COUNT, SUM, \
	       "packets that waited for their flow's extent (EC-7)", "blocked.extent", SWITCHES) \
	METRIC(blocked_rate, COUNT, SUM, \
	       "packets that waited for their flow's rate limit (EC-5)", \
	       "blocked.rate", SWITCHES) \
	METRIC(blocked_empty, COUNT, SUM, \
	       "packets that waited until their flow had nothing in flight (EC-8, FC-25)", \
	       "blocked.empty", SWITCHES) \
	METRIC(blocked_headroom, COUNT, SUM, \
	       "packets that waited for hop credit (EC-12)", "blocked.headroom", SWITCHES) \
	METRIC(blocked_port, COUNT, SUM, \
	       "packets that waited for their port's injection limit (EC-9)", \
	       "blocked.port", SWITCHES) \
	METRIC(metered, COUNT, SUM, "metered flows now", "metered", SWITCHES) \
	METRIC(headroom_starts, COUNT, SUM, \
	       "times that a flow became metered (EC-12)", "headroom.starts", SWITCHES) \
	METRIC(headroom_stops, COUNT, SUM, \
	       "times that a flow ceased to be metered (EC-13)", "headroom.stops", SWITCHES) \
	METRIC(headroom_units, UNITS, SUM, "hop credit granted", "headroom.bytes", SWITCHES) \
	METRIC(stops, COUNT, SUM, \
	       "times that the peer was stopped, for lack of buffer", "stops", SWITCHES) \
	METRIC(fgfc_held, COUNT, SUM, \
	       "flows paused at their source now (EC-15)", "fgfc.held", SWITCHES) \
	METRIC(fgfc_frames, COUNT, SUM, \
	       "FGFC frames sent; at a NIC, received", "fgfc.frames", SWITCHES) \
	METRIC(fgfc_refused, COUNT, SUM, \
	       "NIC: flows named that did not fit into its table", "fgfc.refused", NICS)

/* fabric kind roce: PFC, PAUSE and signals of path-level PFC */
#define PORT_PAUSE_STATISTICS(OWN, SHOWN, METRIC) \
	METRIC(pauses_sent, COUNT, SUM, "PFC and PAUSE frames sent", "pauses.sent", SWITCHES) \
	METRIC(pauses_received, COUNT, SUM, "PFC and PAUSE frames received", "pauses", SWITCHES) \
	OWN(replies, COUNT, "NIC: ACKs and NAKs of queue pairs and connections sent") \
	OWN(cnps, COUNT, "NIC: CNPs made; port-group: see becns") \
	OWN(cnps_received, COUNT, "NIC: CNPs and BECNs received") \
	METRIC(path_pauses, COUNT, SUM, \
	       "first switch: pauses sent to the source because a signal required it (RC-10)", \
	       "path.pauses", SWITCHES) \
	METRIC(path_resumes, COUNT, SUM, \
	       "first switch: their ends (RC-10)", "path.resumes", SWITCHES) \
	METRIC(signals_forwarded, COUNT, SUM, \
	       "signals that arrived here and were forwarded (RC-10)", \
	       "signals.forwarded", SWITCHES)

/* choice among several paths; credit of port groups */
#define PORT_PATH_STATISTICS(OWN, SHOWN, METRIC) \
	/* of an input */ \
	METRIC(choices, COUNT, SUM, \
	       "flows, or packets of unordered classes and port groups, that chose an output " \
	       "among several", "choices", SWITCHES) \
	METRIC(choices_other, COUNT, SUM, \
	       "of choices: another output than the static one", "choices.other", SWITCHES) \
	METRIC(choices_detour, COUNT, SUM, \
	       "of choices: a path that is not minimal (FC-23)", "choices.detour", SWITCHES) \
	METRIC(choices_held, COUNT, SUM, \
	       "of choices: bound to the path of a source of congestion (FC-24)", \
	       "choices.held", SWITCHES) \
	METRIC(redirects, COUNT, SUM, \
	       "flows stopped until empty, to choose again (FC-25)", "redirects", SWITCHES) \
	METRIC(folds, COUNT, SUM, \
	       "unordered flows that became ordered (EC-11)", "folds", SWITCHES) \
	/* of an output */ \
	METRIC(reroute_acks, COUNT, SUM, \
	       "REROUTE ACKs made here (FC-25)", "reroute-acks", SWITCHES) \
	METRIC(fecn_marked, COUNT, SUM, "port-group: packets marked (PG-10)", "fecn", SWITCHES) \
	METRIC(becns, COUNT, SUM, "port-group: BECNs made by a NIC", "becns", NICS) \
	SHOWN(credit_waits, COUNT, SUM, \
	      "port-group: times that a packet at the head of its queue found no credit (PG-9)") \
	METRIC(credit_wait_ps, PS, SUM, \
	       "port-group: time without credit on a free link, to the end of the run", \
	       "credit-waits", NODES) \
	OWN(credit_since_ps, MOMENT, \
	    "port-group: when the present wait for credit began; 0: there is none")

#define PORT_STATISTICS(OWN, SHOWN, METRIC) \
	PORT_OUTPUT_STATISTICS(OWN, SHOWN, METRIC) \
	PORT_INPUT_STATISTICS(OWN, SHOWN, METRIC) \
	PORT_PEER_STATISTICS(OWN, SHOWN, METRIC) \
	PORT_LOSS_STATISTICS(OWN, SHOWN, METRIC) \
	PORT_CONGESTION_STATISTICS(OWN, SHOWN, METRIC) \
	PORT_PAUSE_STATISTICS(OWN, SHOWN, METRIC) \
	PORT_PATH_STATISTICS(OWN, SHOWN, METRIC)

/* a traffic class of a switch's port, fabric kind roce */
#define CLASS_STATISTICS(OWN, SHOWN, METRIC) \
	SHOWN(queue_bytes, BYTES, SUM, "in the output queue, frames with FCS") \
	SHOWN(queue_bytes_max, BYTES, MAX, "the maximum of queue_bytes") \
	OWN(queue_byte_ns_sum, COUNT, \
	    "integral of queue_bytes over the measured interval, byte ns") \
	SHOWN(tx_packets_measured, COUNT, SUM, "packets sent in the measured interval") \
	SHOWN(tx_bytes_measured, BYTES, SUM, "sent in the measured interval, with FCS") \
	OWN(delay_ns_measured, NS, \
	    "sum over those packets of the time in the output queue") \
	METRIC(delay_ns_max, NS, MAX, \
	       "the longest time in the output queue, after the latency of the switch", \
	       "delay.max", SWITCHES) \
	METRIC(drops, COUNT, SUM, \
	       "packets dropped: the queue, the shared buffer or the headroom was full", \
	       "drops.at", SWITCHES) \
	METRIC(marked, COUNT, SUM, "packets marked CE (RC-1)", "marked", SWITCHES) \
	SHOWN(input_bytes, BYTES, SUM, "in the buffer of what arrived here, headroom included") \
	METRIC(input_bytes_max, BYTES, MAX, "the maximum of input_bytes", "input.max", SWITCHES) \
	METRIC(headroom_bytes_max, BYTES, MAX, \
	       "the most of input_bytes in the headroom", "headroom.max", SWITCHES) \
	METRIC(paused_ps, PS, SUM, \
	       "time in which data waited that PFC or PAUSE from the peer had stopped", \
	       "paused", SWITCHES) \
	SHOWN(paused_since_ps, MOMENT, LEAST, \
	      "paused without a break since then, at the end; null: not paused") \
	OWN(paused_counted_ps, MOMENT, "of a pause that continues: paused_ps counts up to then") \
	SHOWN(xoff_since_ps, MOMENT, LEAST, \
	      "when XOFF was sent to the peer at this port, without XON since; null: it may " \
	      "send") \
	METRIC(xoff_first_ps, MOMENT, LEAST, \
	       "the first time that XOFF was sent", "xoff.first", SWITCHES) \
	OWN(waits_for, SET, "a bit for each output that holds packets which arrived here") \
	METRIC(stuck, COUNT, SUM, "times that the watchdog found it stuck", "stuck", SWITCHES) \
	/* of a watched class, as output (RC-7 ... RC-9) */ \
	SHOWN(state, COUNT, MAX, "watched class: enum roce_state at the end") \
	METRIC(state_max, COUNT, MAX, "the worst state", "state.max", SWITCHES) \
	METRIC(ecn_failed_ps, MOMENT, LEAST, \
	       "when ECN was first found to fail (RC-7)", "ecn-failed.first", SWITCHES) \
	METRIC(cnp_failed_ps, MOMENT, LEAST, \
	       "when CNPs were first found to fail (RC-7)", "cnp-failed.first", SWITCHES) \
	METRIC(cnps_seen, COUNT, SUM, \
	       "CNPs of this queue's flows that passed", "cnps.seen", SWITCHES) \
	METRIC(cnps_supplemented, COUNT, SUM, \
	       "CNPs of this queue's flows that were made here (RC-8)", \
	       "cnps.supplemented", SWITCHES) \
	METRIC(signals_pause, COUNT, SUM, \
	       "pause signals sent (RC-9)", "signals.pause", SWITCHES) \
	METRIC(signals_resume, COUNT, SUM, \
	       "resume signals sent (RC-9)", "signals.resume", SWITCHES)

/* a node: fields of struct stats_page */
#define NODE_STATISTICS(OWN, SHOWN, METRIC) \
	SHOWN(injected_packets, COUNT, SUM, "NIC: packets sent") \
	SHOWN(injected_bytes, BYTES, SUM, "NIC: sent, frames without FCS") \
	SHOWN(delivered_packets, COUNT, SUM, "NIC: packets received") \
	SHOWN(delivered_bytes, BYTES, SUM, "NIC: received, frames without FCS") \
	SHOWN(inside_packets, COUNT, SUM, \
	      "held by this node now: in a switch's buffers; a NIC's send queue is not inside") \
	SHOWN(inside_bytes, BYTES, SUM, "the same in bytes") \
	SHOWN(flow_tx_count, COUNT, SUM, "NIC: flows sent") \
	SHOWN(flow_rx_count, COUNT, SUM, "NIC: flows received") \
	SHOWN(message_count, COUNT, SUM, "NIC: complete messages in the log") \
	SHOWN(events, COUNT, SUM, "events handled") \
	SHOWN(data_hops, COUNT, SUM, "data packets sent on a link")

/* clang-format on */

/* the declaration of a field; as OWN, SHOWN or METRIC */
#define STATISTIC_FIELD(field, ...) uint64_t field;

#endif
