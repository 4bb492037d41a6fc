#include "nodes/control/control_place.h"

Heddle__Place *control_place_pack(struct control_place_packing *packing,
				  const struct node_place *from)
{
	heddle__place__init(&packing->place);
	packing->place.worker = from->worker;
	packing->place.place = from->place;
	packing->place.n_ports = from->port_count;
	packing->place.ports = packing->port_table;
	for (uint32_t port = 0; port < from->port_count; port++) {
		heddle__place_port__init(&packing->ports[port]);
		packing->ports[port].peer_worker = from->ports[port].peer_worker;
		packing->ports[port].peer_place = from->ports[port].peer_place;
		packing->ports[port].tx_at = from->ports[port].tx_at;
		packing->ports[port].rx_at = from->ports[port].rx_at;
		packing->port_table[port] = &packing->ports[port];
	}
	return &packing->place;
}

Heddle__Worker *control_worker_pack(struct control_place_packing *packing,
				    const struct worker_share *from)
{
	heddle__worker__init(&packing->worker);
	packing->worker.index = from->index;
	packing->worker.first_place = from->first_place;
	packing->worker.node_count = from->node_count;
	packing->worker.real_clock = from->real_clock;
	return &packing->worker;
}

bool control_place_unpack(struct node_place *to, const Heddle__Place *from)
{
	if (from->n_ports > NODE_PORTS_MAX)
		return false;
	to->worker = from->worker;
	to->place = from->place;
	to->port_count = (uint32_t)from->n_ports;
	for (uint32_t port = 0; port < to->port_count; port++)
		to->ports[port] =
			(struct place_port){ .peer_worker = from->ports[port]->peer_worker,
					     .peer_place = from->ports[port]->peer_place,
					     .tx_at = from->ports[port]->tx_at,
					     .rx_at = from->ports[port]->rx_at };
	return true;
}

void control_worker_unpack(struct worker_share *to, const Heddle__Worker *from)
{
	*to = (struct worker_share){ .index = from->index,
				     .first_place = from->first_place,
				     .node_count = from->node_count,
				     .real_clock = from->real_clock };
}
