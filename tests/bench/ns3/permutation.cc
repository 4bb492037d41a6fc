/*  permutation - what a packet-hop costs in ns-3: the fabric and traffic of tests/bench/scenarios/permutation-*.yaml.
 *
 *  Leaf-spine, every link 200 Gb/s and 1 us, packets of 4096 bytes on the wire and 20 bytes between them; host i sends
 *  to host (i + n/2) mod n without pause. As in Heddle a packet takes spine (number of the receiver in its leaf) mod
 *  spines, so no two flows share a link, and both simulators move the same packets over the same links.
 *  Two ways through a node, because they bound what a user of ns-3 gets:
 *  - udp: UDP sockets and the IPv4 stack, as ns-3's own examples do it, but forwarding by an array: ns-3's static
 *    routing walks a list of all routes for every packet, which at 1024 hosts would measure nothing but that list;
 *  - device: packets go from net device to net device, no protocol at all, the least that ns-3 can do.
 *  Ours: a switch adds no latency (that would be one event more), there is no queue discipline and no trace; all of
 *  this favours ns-3. Processor time is that of Simulator::Run(); building the fabric is told apart.
 *  Usage: permutation udp|device LEAVES HOSTS_PER_LEAF SPINES MICROSECONDS
 *  Prints: hops=N cpu_s=S build_s=S sent=N received=N                                                              */
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

using namespace ns3;

static const uint32_t wire_bytes = 4096;
static const uint32_t gap_bytes = 20;
static const uint64_t rate_bps = 200000000000;
static const uint32_t ppp_bytes = 2, ip_bytes = 20, udp_bytes = 8;
static const uint16_t port = 9;

struct Shape {
	bool udp;
	uint32_t leaves, hosts_per_leaf, spines;
	uint64_t duration_us;

	uint32_t hosts() const { return leaves * hosts_per_leaf; }
};

static Shape shape;
static uint64_t hop_count, sent_count, received_count;

static double cpu_seconds()
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static Time bytes_time(uint32_t bytes)
{
	return PicoSeconds((uint64_t)bytes * 8 * 1000000000000 / rate_bps);
}

/* ---- who leads where; a leaf's ports: its hosts, then the spines; a spine's ports: the leaves ---- */

enum Kind { HOST, LEAF, SPINE };

static uint32_t port_towards(Kind kind, uint32_t index, uint32_t host)
{
	uint32_t leaf = host / shape.hosts_per_leaf, local = host % shape.hosts_per_leaf;

	if (kind == HOST)
		return 0;
	if (kind == SPINE)
		return leaf;
	return leaf == index ? local : shape.hosts_per_leaf + local % shape.spines;
}

/* ---- through the IPv4 stack ---- */

static const uint32_t address_base = 10u << 24;

static Ipv4Address host_address(uint32_t host)
{
	return Ipv4Address(address_base + host + 1);
}

static uint32_t address_host(Ipv4Address address)
{
	return address.Get() - address_base - 1;
}

/* forwarding by arithmetic; every packet that a node receives is one hop */
class ArrayRouting : public Ipv4RoutingProtocol
{
public:
	ArrayRouting(Kind kind, uint32_t index) : kind_(kind), index_(index) {}

	/* @devices of the node, by port */
	void Routes(const std::vector<Ptr<NetDevice>> &devices)
	{
		for (const Ptr<NetDevice> &device : devices) {
			Ptr<Ipv4Route> route = Create<Ipv4Route>();

			route->SetOutputDevice(device);
			route->SetGateway(Ipv4Address("0.0.0.0"));
			if (kind_ == HOST)
				route->SetSource(host_address(index_));
			routes_.push_back(route);
		}
	}

	Ptr<Ipv4Route> RouteOutput(Ptr<Packet>, const Ipv4Header &, Ptr<NetDevice>, Socket::SocketErrno &error) override
	{
		error = Socket::ERROR_NOTERROR;
		return routes_[0];
	}

	bool RouteInput(Ptr<const Packet> packet, const Ipv4Header &header, Ptr<const NetDevice>,
			UnicastForwardCallback forward, MulticastForwardCallback, LocalDeliverCallback deliver,
			ErrorCallback) override
	{
		hop_count++;
		if (kind_ == HOST)
			deliver(packet, header, 1);
		else
			forward(routes_[port_towards(kind_, index_, address_host(header.GetDestination()))], packet,
				header);
		return true;
	}

	void NotifyInterfaceUp(uint32_t) override {}
	void NotifyInterfaceDown(uint32_t) override {}
	void NotifyAddAddress(uint32_t, Ipv4InterfaceAddress) override {}
	void NotifyRemoveAddress(uint32_t, Ipv4InterfaceAddress) override {}
	void SetIpv4(Ptr<Ipv4>) override {}
	void PrintRoutingTable(Ptr<OutputStreamWrapper>, Time::Unit) const override {}

private:
	Kind kind_;
	uint32_t index_;
	std::vector<Ptr<Ipv4Route>> routes_;
};

static void stack_install(Ptr<Node> node, Kind kind, uint32_t index)
{
	Ptr<ArrayRouting> routing = Create<ArrayRouting>(kind, index);
	std::vector<Ptr<NetDevice>> devices;
	Ptr<Ipv4> ipv4;

	for (uint32_t i = 0; i < node->GetNDevices(); i++)
		devices.push_back(node->GetDevice(i));
	routing->Routes(devices);
	InternetStackHelper().Install(node);
	ipv4 = node->GetObject<Ipv4>();
	ipv4->SetRoutingProtocol(routing);
	for (const Ptr<NetDevice> &device : devices) {
		uint32_t interface = ipv4->AddInterface(device);

		if (kind == HOST)
			ipv4->AddAddress(interface, Ipv4InterfaceAddress(host_address(index), Ipv4Mask::GetOnes()));
		ipv4->SetUp(interface);
	}
}

static void udp_received(Ptr<Socket> socket)
{
	while (socket->Recv())
		received_count++;
}

/* ---- from device to device ---- */

class ReceiverTag : public Tag
{
public:
	uint32_t host = 0;

	static TypeId GetTypeId()
	{
		static TypeId id = TypeId("ReceiverTag").SetParent<Tag>().AddConstructor<ReceiverTag>();
		return id;
	}
	TypeId GetInstanceTypeId() const override { return GetTypeId(); }
	uint32_t GetSerializedSize() const override { return sizeof(host); }
	void Serialize(TagBuffer buffer) const override { buffer.WriteU32(host); }
	void Deserialize(TagBuffer buffer) override { host = buffer.ReadU32(); }
	void Print(std::ostream &out) const override { out << host; }
};

static bool device_received(Kind kind, uint32_t index, Ptr<NetDevice> device, Ptr<const Packet> packet,
			    uint16_t protocol)
{
	ReceiverTag tag;

	hop_count++;
	packet->PeekPacketTag(tag);
	if (kind == HOST) {
		received_count += tag.host == index;
		return true;
	}
	device = device->GetNode()->GetDevice(port_towards(kind, index, tag.host));
	return device->Send(packet->Copy(), device->GetBroadcast(), protocol);
}

static void forwarding_install(Ptr<Node> node, Kind kind, uint32_t index)
{
	for (uint32_t i = 0; i < node->GetNDevices(); i++)
		node->GetDevice(i)->SetReceiveCallback(
			[kind, index](Ptr<NetDevice> device, Ptr<const Packet> packet, uint16_t protocol,
				      const Address &) {
				return device_received(kind, index, device, packet, protocol);
			});
}

/* ---- traffic ---- */

/* one packet after the other at the rate of the link, from one host */
class Sender
{
public:
	Sender(Ptr<Node> node, uint32_t host)
		: receiver_((host + shape.hosts() / 2) % shape.hosts()), device_(node->GetDevice(0))
	{
		period_ = bytes_time(wire_bytes + gap_bytes);
		if (shape.udp)
			sockets_open(node);
		Simulator::ScheduleWithContext(node->GetId(), Seconds(0), &Sender::Send, this);
	}

private:
	void sockets_open(Ptr<Node> node)
	{
		Ptr<Socket> sink = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());

		sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
		sink->SetRecvCallback(MakeCallback(&udp_received));
		socket_ = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
		socket_->Connect(InetSocketAddress(host_address(receiver_), port));
	}

	void Send()
	{
		if (shape.udp) {
			socket_->Send(Create<Packet>(wire_bytes - ppp_bytes - ip_bytes - udp_bytes));
		} else {
			Ptr<Packet> packet = Create<Packet>(wire_bytes - ppp_bytes);
			ReceiverTag tag;

			tag.host = receiver_;
			packet->AddPacketTag(tag);
			device_->Send(packet, device_->GetBroadcast(), 0x0800);
		}
		sent_count++;
		if (Simulator::Now() + period_ < MicroSeconds(shape.duration_us))
			Simulator::Schedule(period_, &Sender::Send, this);
	}

	uint32_t receiver_;
	Ptr<NetDevice> device_;
	Ptr<Socket> socket_;
	Time period_;
};

/* ---- the fabric ---- */

static void node_install(Ptr<Node> node, Kind kind, uint32_t index)
{
	if (shape.udp)
		stack_install(node, kind, index);
	else
		forwarding_install(node, kind, index);
}

static NodeContainer fabric_build()
{
	NodeContainer hosts, leaves, spines;
	PointToPointHelper link;

	link.DisableFlowControl();
	link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(rate_bps)));
	link.SetDeviceAttribute("Mtu", UintegerValue(wire_bytes - ppp_bytes));
	link.SetDeviceAttribute("InterframeGap", TimeValue(bytes_time(gap_bytes)));
	link.SetChannelAttribute("Delay", TimeValue(MicroSeconds(1)));
	hosts.Create(shape.hosts());
	leaves.Create(shape.leaves);
	spines.Create(shape.spines);
	for (uint32_t i = 0; i < shape.hosts(); i++)
		link.Install(leaves.Get(i / shape.hosts_per_leaf), hosts.Get(i));
	for (uint32_t leaf = 0; leaf < shape.leaves; leaf++)
		for (uint32_t spine = 0; spine < shape.spines; spine++)
			link.Install(leaves.Get(leaf), spines.Get(spine));
	for (uint32_t i = 0; i < shape.hosts(); i++)
		node_install(hosts.Get(i), HOST, i);
	for (uint32_t i = 0; i < shape.leaves; i++)
		node_install(leaves.Get(i), LEAF, i);
	for (uint32_t i = 0; i < shape.spines; i++)
		node_install(spines.Get(i), SPINE, i);
	return hosts;
}

int main(int argc, char **argv)
{
	std::vector<Sender> senders;
	double start, built, end;
	NodeContainer hosts;

	if (argc != 6) {
		std::fprintf(stderr, "usage: permutation udp|device LEAVES HOSTS_PER_LEAF SPINES MICROSECONDS\n");
		return 2;
	}
	shape = { std::string(argv[1]) == "udp", (uint32_t)std::atoi(argv[2]), (uint32_t)std::atoi(argv[3]),
		  (uint32_t)std::atoi(argv[4]), std::strtoull(argv[5], nullptr, 10) };
	if (!shape.leaves || !shape.hosts_per_leaf || !shape.spines || !shape.duration_us) {
		std::fprintf(stderr, "permutation: every count must be at least 1\n");
		return 2;
	}
	start = cpu_seconds();
	Time::SetResolution(Time::PS);
	hosts = fabric_build();
	senders.reserve(shape.hosts());
	for (uint32_t i = 0; i < shape.hosts(); i++)
		senders.emplace_back(hosts.Get(i), i);
	built = cpu_seconds();
	Simulator::Run();
	end = cpu_seconds();
	std::printf("hops=%llu cpu_s=%.3f build_s=%.3f sent=%llu received=%llu\n", (unsigned long long)hop_count,
		    end - built, built - start, (unsigned long long)sent_count, (unsigned long long)received_count);
	return sent_count == received_count ? 0 : 1;
}
