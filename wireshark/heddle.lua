--  heddle.lua - Wireshark and tshark name what Heddle puts on links (SE-13).
--
--  Decoded: envelope with fabric header, ACK frame, link control words, quote or local route header
--  (EtherType 0x88b5); test frames, HPC headers and BECN frames (0x88b6); FGFC frames (0x88b7);
--  the test payload header after UDP, TCP and RoCEv2; CNPs, their signals along the path, and the
--  ICRC. The frames inside are left to Wireshark's own dissectors. Layouts: docs/wire-format.md.
--
--  What a reader of Heddle refuses has the expert info heddle.malformed, an error with the reason.
--  What a snap length has cut off has the note heddle.cut: it is not wrong.
--
--  No range is read before its length was checked. A Lua error would be a mistake in this file.
--  Written for the Lua of Wireshark 4.0 (5.2); it takes bit operations where the version has them.

set_plugin_info({ version = "1.0.0", author = "Heddle" })

local band, bxor, rshift
do
	local bits = bit32 or bit
	if bits then
		band, bxor, rshift = bits.band, bits.bxor, bits.rshift
	else -- Lua 5.3 and later: operators, which earlier versions cannot even parse
		band, bxor, rshift = load([[return function(a, b) return a & b end,
			function(a, b) return a ~ b end, function(a, n) return a >> n end]])()
	end
end

local ETHERTYPE_LINK, ETHERTYPE_TEST, ETHERTYPE_OUI = 0x88b5, 0x88b6, 0x88b7
local ETHERNET_BYTES, MAC_BYTES, FRAME_BYTES_MIN = 14, 6, 60
local UNIT_BYTES, PORTS_MAX = 256, 64
local TYPE_DATA, TYPE_ACKS, TYPE_WORDS, TYPE_QUOTE, TYPE_LID = 1, 2, 3, 4, 5

-- ---- protocols and fields ----

local link = Proto("heddle", "Heddle Link")
local fgfc = Proto("heddle_fgfc", "Heddle Flow Pause (FGFC)")
local test = Proto("heddle_test", "Heddle Test Frame")
local cnp = Proto("heddle_cnp", "Heddle Congestion Notification (CNP)")
local icrc = Proto("heddle_icrc", "Heddle Check of the ICRC")

local frame_types = {
	[TYPE_DATA] = "data, fabric header", [TYPE_ACKS] = "ACK frame", [TYPE_WORDS] = "control words",
	[TYPE_QUOTE] = "quote", [TYPE_LID] = "data, local route header",
}
local ack_types = {
	[0] = "ACK_DELTA", [1] = "ACK_DELTA_ECA", [2] = "ACK_ECA", [3] = "HEADROOM", [4] = "REROUTE",
	[5] = "LOSS",
}
local ack_values = {
	[0] = "units delivered", [1] = "congestion factor, and units", [2] = "congestion factor",
	[3] = "units of credit", [4] = "request", [5] = "units lost",
}
local word_kinds = {
	[0] = "STOP", [1] = "SEEN", [2] = "MISSING", [3] = "SYNC", [4] = "CREDIT", [5] = "SENT",
}
local word_values = {
	[0] = "set of classes that are stopped", [1] = "all before this sequence arrived",
	[2] = "the frame that did not arrive", [3] = "sequence of the next frame",
	[4] = "units that may be sent in all", [5] = "units that were sent in all",
}
local flow_kinds = { [0] = "HPC", [1] = "layer 2", [2] = "IPv4", [3] = "IPv6" }
local subtypes = { [0] = "test frame", [1] = "HPC frame", [2] = "BECN frame" }
local signals = { [0] = "none", [1] = "pause", [2] = "resume" }

local function names(yes, no)
	return { yes, no }
end

local f = {
	type = ProtoField.uint8("heddle.type", "Type", base.DEC, frame_types, 0xf0),
	version = ProtoField.uint8("heddle.version", "Version", base.DEC, nil, 0x0f),
	reserved = ProtoField.bytes("heddle.reserved", "Reserved"),
	sequence = ProtoField.uint32("heddle.sequence", "Sequence on the link"),
	-- fabric header
	class = ProtoField.uint8("heddle.class", "Traffic class", base.DEC, nil, 0x0f),
	via = ProtoField.uint16("heddle.via", "Via switch"),
	ordered = ProtoField.bool("heddle.ordered", "Order", 8,
		names("packets of this flow keep their order", "unordered"), 0x01),
	flow_id = ProtoField.uint16("heddle.flow_id", "Flow channel", base.DEC, nil, 0x07ff),
	position = ProtoField.uint16("heddle.position", "Position in the flow (units)"),
	destination = ProtoField.uint16("heddle.destination", "Destination switch"),
	egress_port = ProtoField.uint8("heddle.egress_port", "Egress port", base.DEC, nil, 0x3f),
	level = ProtoField.uint8("heddle.level", "Level", base.DEC, nil, 0xe0),
	hops = ProtoField.uint8("heddle.hops", "Switches passed", base.DEC, nil, 0x1f),
	units = ProtoField.uint8("heddle.units", "Units"),
	-- ACK frame
	ack_count = ProtoField.uint8("heddle.ack.count", "ACKs"),
	ack_length = ProtoField.uint16("heddle.ack.length", "Length of the ACKs (bytes)"),
	ack = ProtoField.bytes("heddle.ack", "ACK"),
	ack_flow_id = ProtoField.uint16("heddle.ack.flow_id", "Flow channel"),
	ack_type = ProtoField.uint8("heddle.ack.type", "Type", base.DEC, ack_types),
	ack_value = ProtoField.uint16("heddle.ack.value", "Value"),
	ack_choice = ProtoField.bool("heddle.ack.choice", "A switch on its path had a choice"),
	ack_downstream = ProtoField.bool("heddle.ack.downstream", "Congestion is further downstream"),
	ack_without = ProtoField.uint8("heddle.ack.without_choice", "Switches without a choice, less the others"),
	ack_upward = ProtoField.uint8("heddle.ack.upward", "Upward port, or flows that share the link"),
	ack_fcs = ProtoField.uint32("heddle.ack.fcs", "FCS", base.HEX),
	ack_fcs_good = ProtoField.bool("heddle.ack.fcs_good", "FCS is right"),
	-- control words
	word_count = ProtoField.uint8("heddle.word.count", "Control words"),
	word = ProtoField.bytes("heddle.word", "Control word"),
	word_kind = ProtoField.uint8("heddle.word.kind", "Kind", base.DEC, word_kinds),
	word_class = ProtoField.uint8("heddle.word.class", "Traffic class or lane"),
	word_value = ProtoField.uint32("heddle.word.value", "Value"),
	-- local route header
	lasting = ProtoField.bool("heddle.lid.lasting", "Lasting", 8,
		names("the source is notified", "no, or no FECN"), 0x80),
	service_level = ProtoField.uint8("heddle.lid.service_level", "Service level", base.DEC, nil, 0x70),
	lid_level = ProtoField.uint8("heddle.lid.level", "Level of the lane", base.DEC, nil, 0x07),
	fecn = ProtoField.bool("heddle.lid.fecn", "FECN", 16,
		names("a switch on the path was congested", "no"), 0x8000),
	becn = ProtoField.bool("heddle.lid.becn", "BECN", 16,
		names("the source of this frame has received FECN", "no"), 0x4000),
	lid_length = ProtoField.uint16("heddle.lid.length", "Length of the frame", base.DEC, nil, 0x3fff),
	dlid = ProtoField.uint32("heddle.lid.destination", "Destination LID"),
	slid = ProtoField.uint32("heddle.lid.source", "Source LID"),
}
local ff = {
	type = ProtoField.uint8("heddle_fgfc.type", "Protocol of the flow", base.DEC, flow_kinds),
	version = ProtoField.uint8("heddle_fgfc.version", "Version"),
	fields = ProtoField.uint16("heddle_fgfc.fields", "Fields that name the flow", base.HEX),
	pause = ProtoField.uint32("heddle_fgfc.pause", "Pause (ns)"),
	credit = ProtoField.uint32("heddle_fgfc.credit", "Credit (units)"),
	class = ProtoField.uint8("heddle_fgfc.class", "Traffic class"),
	protocol = ProtoField.uint8("heddle_fgfc.ip_protocol", "IP protocol"),
	vlan = ProtoField.uint16("heddle_fgfc.vlan", "VLAN"),
	source_mac = ProtoField.ether("heddle_fgfc.source_mac", "Source MAC"),
	destination_mac = ProtoField.ether("heddle_fgfc.destination_mac", "Destination MAC"),
	source_ipv4 = ProtoField.ipv4("heddle_fgfc.source", "Source address"),
	destination_ipv4 = ProtoField.ipv4("heddle_fgfc.destination", "Destination address"),
	source_ipv6 = ProtoField.ipv6("heddle_fgfc.source_ipv6", "Source address"),
	destination_ipv6 = ProtoField.ipv6("heddle_fgfc.destination_ipv6", "Destination address"),
	source_endpoint = ProtoField.uint32("heddle_fgfc.source_endpoint", "Source endpoint"),
	destination_endpoint = ProtoField.uint32("heddle_fgfc.destination_endpoint", "Destination endpoint"),
	source_port = ProtoField.uint16("heddle_fgfc.source_port", "Source port"),
	destination_port = ProtoField.uint16("heddle_fgfc.destination_port", "Destination port"),
	flow_label = ProtoField.uint32("heddle_fgfc.flow_label", "Flow label", base.HEX),
	queue_pair = ProtoField.uint32("heddle_fgfc.queue_pair", "Queue pair or process"),
	mask = ProtoField.bytes("heddle_fgfc.mask", "Mask"),
}
local ft = {
	subtype = ProtoField.uint8("heddle_test.subtype", "Subtype", base.DEC, subtypes),
	reserved = ProtoField.bytes("heddle_test.reserved", "Reserved"),
	version = ProtoField.uint8("heddle_test.hpc.version", "Version", base.DEC, nil, 0xf0),
	class = ProtoField.uint8("heddle_test.hpc.class", "Traffic class", base.DEC, nil, 0x07),
	source = ProtoField.uint32("heddle_test.hpc.source", "Source endpoint"),
	destination = ProtoField.uint32("heddle_test.hpc.destination", "Destination endpoint"),
	process = ProtoField.uint32("heddle_test.hpc.process", "Process"),
	start = ProtoField.uint64("heddle_test.start", "Start of the message (ps)"),
	packet = ProtoField.uint32("heddle_test.packet", "Packet of the flow"),
	message = ProtoField.uint32("heddle_test.message", "Message of the flow"),
	message_bytes = ProtoField.uint64("heddle_test.message_bytes", "Bytes of the message"),
	slot = ProtoField.uint24("heddle_test.slot", "Flow slot at the source"),
	first = ProtoField.bool("heddle_test.first", "First packet of its message", 16, nil, 0x8000),
	last = ProtoField.bool("heddle_test.last", "Last packet of its message", 16, nil, 0x4000),
	bytes = ProtoField.uint16("heddle_test.bytes", "Bytes of the message here", base.DEC, nil, 0x3fff),
	workload = ProtoField.uint16("heddle_test.workload", "Workload"),
}
local fc = {
	queue_pair = ProtoField.uint24("heddle_cnp.queue_pair", "Queue pair that is to slow down", base.HEX),
	signal = ProtoField.uint8("heddle_cnp.signal", "Signal along the path", base.DEC, signals, 0x7f),
}
local fi = {
	icrc = ProtoField.uint32("heddle_icrc.icrc", "ICRC", base.HEX),
	good = ProtoField.bool("heddle_icrc.good", "ICRC is right"),
}

local ef = {
	malformed = ProtoExpert.new("heddle.malformed", "Malformed", expert.group.MALFORMED, expert.severity.ERROR),
	cut = ProtoExpert.new("heddle.cut", "Cut off by the snap length", expert.group.UNDECODED, expert.severity.NOTE),
	request = ProtoExpert.new("heddle.loss", "A loss is reported", expert.group.SEQUENCE, expert.severity.NOTE),
	congestion = ProtoExpert.new("heddle.congestion", "Congestion", expert.group.SEQUENCE, expert.severity.NOTE),
}

local function list(fields)
	local all = {}
	for _, field in pairs(fields) do
		all[#all + 1] = field
	end
	return all
end
link.fields, fgfc.fields, test.fields = list(f), list(ff), list(ft)
cnp.fields, icrc.fields = list(fc), list(fi)
link.experts = list(ef)

link.prefs.sequences = Pref.bool("Frames end with a sequence", false,
	"Captured by tcpdump on a guarded veth link: four bytes with its sequence follow every frame. "
	.. "Where the length of a frame is known they are found without this.")
link.prefs.icrc = Pref.bool("Check the ICRC of RoCEv2 data", false,
	"The ICRC of CNPs and ACKs is always checked; that of data takes a millisecond for a frame.")

local function malformed(tree, why)
	tree:add_proto_expert_info(ef.malformed, "Malformed: " .. why)
end

-- While a frame inside is dissected of which the snap length has cut off the end: how much of it was
-- captured. It is followed by zeros, up to its length: generated frames have zeros there.
local inner_kept
-- the last frame for which that was so
local inner_padded

-- are there @bytes of @tvb from @at on? If not, it says which: too short, or cut off.
local function has(tvb, at, bytes, tree, what)
	if inner_kept and tvb:offset() + at + bytes > inner_kept then
		tree:add_proto_expert_info(ef.cut, what .. " is cut off by the snap length")
		return false
	end
	if tvb:len() >= at + bytes then
		return true
	end
	if tvb:reported_len() >= at + bytes then
		tree:add_proto_expert_info(ef.cut, what .. " is cut off by the snap length")
	else
		malformed(tree, what .. " is too short")
	end
	return false
end

local function all_zero(tvb, at, bytes)
	for i = at, at + bytes - 1 do
		if tvb(i, 1):uint() ~= 0 then
			return false
		end
	end
	return true
end

-- ---- CRC-32 of 802.3 ----

local crc_table = {}
for i = 0, 255 do
	local crc = i
	for _ = 1, 8 do
		crc = band(crc, 1) == 1 and bxor(rshift(crc, 1), 0xedb88320) or rshift(crc, 1)
	end
	crc_table[i] = crc
end

local function crc_add(crc, byte)
	return bxor(rshift(crc, 8), crc_table[band(bxor(crc, byte), 0xff)])
end

-- as it stands in the frame, least significant byte first
local function crc_end(crc)
	return band(bxor(crc, 0xffffffff), 0xffffffff) % 0x100000000
end

local function crc_of(tvb, at, bytes)
	local data, crc = tvb(at, bytes):bytes(), 0xffffffff
	for i = 0, bytes - 1 do
		crc = crc_add(crc, data:get_index(i))
	end
	return crc_end(crc)
end

-- ---- test payload header ----

local TEST_BYTES = 28

-- @room: most bytes of the message that the frame can hold.  Return: one line about it.
local function test_payload(tvb, at, room, tree)
	if not has(tvb, at, TEST_BYTES, tree, "the test payload header") then
		return "test frame"
	end
	local packet, message = tvb(at + 8, 4):uint(), tvb(at + 12, 4):uint()
	local whole = tvb(at + 16, 5):uint64():tonumber()
	local flags = tvb(at + 24, 2):uint()
	local bytes = band(flags, 0x3fff)
	tree:add(ft.start, tvb(at, 8))
	tree:add(ft.packet, tvb(at + 8, 4))
	tree:add(ft.message, tvb(at + 12, 4))
	tree:add(ft.message_bytes, tvb(at + 16, 5))
	tree:add(ft.slot, tvb(at + 21, 3))
	tree:add(ft.first, tvb(at + 24, 2))
	tree:add(ft.last, tvb(at + 24, 2))
	tree:add(ft.bytes, tvb(at + 24, 2))
	tree:add(ft.workload, tvb(at + 26, 2))
	if bytes > room then
		malformed(tree, string.format("%d bytes of a message in a frame that holds %d", bytes, room))
	end
	if bytes > whole then
		malformed(tree, string.format("%d bytes of a message of %d", bytes, whole))
	end
	return string.format("Flow %d, packet %d, message %d: %d of %d B%s%s", tvb(at + 21, 3):uint(), packet,
		message, bytes, whole, flags >= 0x8000 and ", first" or "", band(flags, 0x4000) ~= 0 and ", last" or "")
end

-- the innermost MAC of @field; not from pinfo, which has a name in its place if there is one
local source_field, destination_field = Field.new("eth.src"), Field.new("eth.dst")

local function mac_of(field)
	local all = { field() }
	return #all > 0 and all[#all].range:bytes():tohex():lower() or ""
end

-- is the sender a host of a fabric? Real programs may use these ports and queue pairs too.
local function of_host()
	return mac_of(source_field):sub(1, 6) == "024800"
end

-- after UDP or TCP, to a test port
local function test_segment(tvb, pinfo, tree)
	if not of_host() or tvb:reported_len() < TEST_BYTES then
		return 0
	end
	local item = tree:add(test, tvb(0, math.min(tvb:len(), TEST_BYTES)), "Heddle Test Payload")
	local line = test_payload(tvb, 0, tvb:reported_len() - TEST_BYTES, item)
	pinfo.cols.protocol = "Heddle test"
	pinfo.cols.info:append("  " .. line)
	return tvb:len()
end

-- the payload of a SEND, to a queue pair of generated traffic
local opcode_field = Field.new("infiniband.bth.opcode")
local pair_field = Field.new("infiniband.bth.destqp")

local function test_send(tvb, pinfo, tree)
	local pair, opcode = pair_field(), opcode_field()
	if not pair or not opcode or opcode.value > 4 or pair.value < 0x800000 or not of_host() or
		tvb:reported_len() < TEST_BYTES then
		return false
	end
	local item = tree:add(test, tvb(0, math.min(tvb:len(), TEST_BYTES)), "Heddle Test Payload")
	-- a last packet of less than the header has the header; the bytes of the message are fewer
	local line = test_payload(tvb, 0, tvb:reported_len(), item)
	pinfo.cols.info:append("  " .. line)
	return true
end

-- ---- EtherType 0x88b6: test frames, HPC frames, BECN frames ----

local HPC_BYTES = 16

local function hpc_frame(tvb, tree)
	if not has(tvb, 0, HPC_BYTES, tree, "the HPC header") then
		return "HPC frame"
	end
	tree:add(ft.version, tvb(1, 1))
	tree:add(ft.class, tvb(1, 1))
	tree:add(ft.reserved, tvb(2, 2))
	tree:add(ft.source, tvb(4, 4))
	tree:add(ft.destination, tvb(8, 4))
	tree:add(ft.process, tvb(12, 4))
	if tvb(1, 1):bitfield(0, 5) ~= 0 or tvb(2, 2):uint() ~= 0 then
		malformed(tree, "version and reserved bits of an HPC header must be 0")
	end
	local line = string.format("%d > %d, process %d", tvb(4, 4):uint(), tvb(8, 4):uint(), tvb(12, 4):uint())
	if tvb:reported_len() < HPC_BYTES + TEST_BYTES then
		return line
	end
	return line .. "  " .. test_payload(tvb, HPC_BYTES, tvb:reported_len() - HPC_BYTES - TEST_BYTES, tree)
end

-- A priority tag moves the subtype, never the test payload header. The frame itself begins at 0, in
-- an envelope at 26, in a quote at 16.
local function is_tagged(tvb)
	local at = tvb:offset()
	return at == 18 or at == 18 + 26 or at == 18 + 16
end

local function plain_frame(tvb, tree)
	local reserved = is_tagged(tvb) and 1 or 5
	if not has(tvb, 1, reserved, tree, "the test frame") then
		return "test frame"
	end
	tree:add(ft.reserved, tvb(1, reserved))
	if not all_zero(tvb, 1, reserved) then
		malformed(tree, "a reserved byte of a test frame is not 0")
	end
	local at = 1 + reserved
	return test_payload(tvb, at, tvb:reported_len() - at - TEST_BYTES, tree)
end

local function becn_frame(tvb, tree)
	local bytes = FRAME_BYTES_MIN - ETHERNET_BYTES
	if tvb:reported_len() < bytes or not has(tvb, 0, bytes, tree, "the BECN frame") then
		return "BECN frame"
	end
	if not all_zero(tvb, 1, bytes - 1) then
		malformed(tree, "a BECN frame has zeros after its subtype")
	end
	return "BECN frame: the receiver slows down what it sends to this host"
end

function test.dissector(tvb, pinfo, tree)
	pinfo.cols.protocol = "Heddle test"
	local item = tree:add(test, tvb())
	if not has(tvb, 0, 1, item, "the frame") then
		return 1
	end
	local subtype, line = tvb(0, 1):uint()
	item:add(ft.subtype, tvb(0, 1))
	if subtype == 0 then
		line = plain_frame(tvb, item)
	elseif subtype == 1 then
		pinfo.cols.protocol = "Heddle HPC"
		line = hpc_frame(tvb, item)
	elseif subtype == 2 then
		pinfo.cols.protocol = "Heddle BECN"
		line = becn_frame(tvb, item)
	else
		line = "subtype " .. subtype
		malformed(item, "there is no subtype " .. subtype)
	end
	pinfo.cols.info = line
	return tvb:len()
end

-- ---- FGFC frames ----

local FGFC_AT, FGFC_BYTES, FGFC_MASKED_BYTES = ETHERNET_BYTES, 92, 152
local FIELD_SOURCE_MAC, FIELD_DESTINATION_MAC, FIELD_VLAN, FIELD_ADDRESSES = 1, 2, 4, 8
local FIELD_PORTS, FIELD_LABEL, FIELD_IDS, FIELDS_ALL = 16, 32, 64, 127
local HPC, LAYER_2, IPV4, IPV6 = 0, 1, 2, 3

-- the values of a name and their masks, by their places in the frame (docs/wire-format.md)
local function each_value(use) -- use(what, at, bytes, field, mask_at)
	use("protocol", 33, 1, FIELD_PORTS, 93)
	use("vlan", 34, 2, FIELD_VLAN, 94)
	use("source_mac", 36, 6, FIELD_SOURCE_MAC, 96)
	use("destination_mac", 42, 6, FIELD_DESTINATION_MAC, 102)
	use("source", 48, 16, FIELD_ADDRESSES, 108)
	use("destination", 64, 16, FIELD_ADDRESSES, 124)
	use("source_port", 80, 2, FIELD_PORTS, 140)
	use("destination_port", 82, 2, FIELD_PORTS, 142)
	use("flow_label", 84, 4, FIELD_LABEL, 144)
	use("queue_pair", 88, 4, FIELD_IDS, 148)
end

-- HPC endpoints stand in the place of addresses, under the bit of the ids
local function field_of(kind, what, field)
	return kind == HPC and (what == "source" or what == "destination") and FIELD_IDS or field
end

local function address_add(tvb, kind, what, at, tree)
	if kind == IPV6 then
		tree:add(ff[what .. "_ipv6"], tvb(at, 16))
	elseif kind == IPV4 then
		tree:add(ff[what .. "_ipv4"], tvb(at, 4))
	else
		tree:add(ff[what .. "_endpoint"], tvb(at, 4))
	end
end

-- does a value have bits that do not count?
local function beyond_mask(tvb, at, bytes, mask_at)
	for i = 0, bytes - 1 do
		if band(tvb(at + i, 1):uint(), 0xff - tvb(mask_at - FGFC_AT + i, 1):uint()) ~= 0 then
			return true
		end
	end
	return false
end

local function fgfc_wrong(tvb, bytes, kind, fields)
	local wrong
	local function refuse(why)
		wrong = wrong or why
	end

	if bytes ~= FGFC_BYTES and bytes ~= FGFC_MASKED_BYTES then
		return "an FGFC frame has 92 or 152 bytes, not " .. bytes
	end
	if tvb(20 - FGFC_AT, 1):uint() ~= (bytes == FGFC_MASKED_BYTES and 1 or 0) then
		refuse("version " .. tvb(20 - FGFC_AT, 1):uint() .. " with " .. bytes .. " bytes")
	end
	if tvb(21 - FGFC_AT, 1):uint() ~= 0 or (bytes == FGFC_MASKED_BYTES and tvb(92 - FGFC_AT, 1):uint() ~= 0) then
		refuse("a reserved byte is not 0")
	end
	if kind > IPV6 then
		refuse("no flow is of type " .. kind)
	end
	if fields > FIELDS_ALL then
		refuse("there are no such fields")
	end
	if tvb(24 - FGFC_AT, 4):uint() == 0 and tvb(28 - FGFC_AT, 4):uint() ~= 0 then
		refuse("credit without a pause")
	end
	if tvb(32 - FGFC_AT, 1):uint() > 7 then
		refuse("there is no such traffic class")
	end
	each_value(function(what, at, length, field, mask_at)
		at = at - FGFC_AT
		if bytes == FGFC_MASKED_BYTES and beyond_mask(tvb, at, length, mask_at) then
			refuse(what .. " has bits that its mask leaves out")
		end
		local set = not all_zero(tvb, at, length)
		local address = what == "source" or what == "destination"
		if set and band(fields, field_of(kind, what, field)) == 0 then
			refuse(what .. " is given, but does not name the flow")
		end
		if set and address and kind == LAYER_2 or
			address and kind ~= IPV6 and kind ~= LAYER_2 and not all_zero(tvb, at + 4, 12) then
			refuse("an address is longer than its type has it")
		end
		if set and field == FIELD_PORTS and kind < IPV4 or set and what == "flow_label" and kind ~= IPV6 or
			set and what == "queue_pair" and kind == LAYER_2 then
			refuse(what .. " in a flow without it")
		end
	end)
	if tvb(34 - FGFC_AT, 2):uint() > 0xfff or tvb(84 - FGFC_AT, 4):uint() > 0xfffff or
		kind >= IPV4 and tvb(88 - FGFC_AT, 4):uint() > 0xffffff then
		refuse("a value has more bits than its field")
	end
	return wrong
end

local function fgfc_values(tvb, kind, fields, tree)
	each_value(function(what, at, length, field)
		if band(fields, field_of(kind, what, field)) == 0 or
			kind < IPV4 and field == FIELD_PORTS or kind ~= IPV6 and field == FIELD_LABEL then
			return
		end
		if what == "source" or what == "destination" then
			if kind ~= LAYER_2 then
				address_add(tvb, kind, what, at - FGFC_AT, tree)
			end
		elseif ff[what] then
			tree:add(ff[what], tvb(at - FGFC_AT, length))
		end
	end)
end

-- OUI 00:0e:ab, protocol id 0
local function is_fgfc(tvb)
	return tvb:len() >= 6 and tvb(0, 4):uint() == 0x000eab00 and tvb(4, 1):uint() == 0 and
		mac_of(destination_field) == "0180c200000e"
end

local oui_dissector = DissectorTable.get("ethertype"):get_dissector(ETHERTYPE_OUI)

-- @tvb begins after the EtherType
function fgfc.dissector(tvb, pinfo, tree)
	if not is_fgfc(tvb) then
		return oui_dissector and oui_dissector:call(tvb, pinfo, tree) or 0
	end
	local item = tree:add(fgfc, tvb())
	pinfo.cols.protocol = "Heddle FGFC"
	pinfo.cols.info = "FGFC frame"
	if not has(tvb, 0, FGFC_BYTES - FGFC_AT, item, "the FGFC frame") then
		return tvb:len()
	end
	local kind, fields = tvb(19 - FGFC_AT, 1):uint(), tvb(22 - FGFC_AT, 2):uint()
	local pause, credit = tvb(24 - FGFC_AT, 4):uint(), tvb(28 - FGFC_AT, 4):uint()
	local bytes = tvb:reported_len() + FGFC_AT
	item:add(ff.type, tvb(19 - FGFC_AT, 1))
	item:add(ff.version, tvb(20 - FGFC_AT, 1))
	item:add(ff.fields, tvb(22 - FGFC_AT, 2))
	item:add(ff.pause, tvb(24 - FGFC_AT, 4))
	item:add(ff.credit, tvb(28 - FGFC_AT, 4))
	item:add(ff.class, tvb(32 - FGFC_AT, 1))
	fgfc_values(tvb, kind, fields, item)
	if bytes == FGFC_MASKED_BYTES + 4 or bytes == FGFC_BYTES + 4 then
		bytes = bytes - 4 -- on a guarded veth link
		if tvb:len() == bytes + 4 - FGFC_AT then
			item:add(f.sequence, tvb(bytes - FGFC_AT, 4))
		end
	end
	if bytes == FGFC_MASKED_BYTES then
		if not has(tvb, 92 - FGFC_AT, FGFC_MASKED_BYTES - FGFC_BYTES, item, "the mask") then
			return tvb:len()
		end
		item:add(ff.mask, tvb(93 - FGFC_AT, FGFC_MASKED_BYTES - 93))
	end
	local wrong = fgfc_wrong(tvb, bytes, kind, fields)
	if wrong then
		malformed(item, wrong)
	end
	pinfo.cols.info = pause == 0 and "Resume: " or
		string.format("Pause for %d ns with credit for %d units: ", pause, credit)
	pinfo.cols.info:append((flow_kinds[kind] or "unknown") .. " flow of class " .. tvb(32 - FGFC_AT, 1):uint())
	if pause ~= 0 then
		item:add_proto_expert_info(ef.congestion, "A flow is paused at its source")
	end
	return tvb:len()
end

-- ---- EtherType 0x88b5: what follows the envelope ----

local ethernet = Dissector.get("eth_withoutfcs")
local SEQUENCE_BYTES = 4

-- the frame inside, from @at on, @bytes long
local function inner(tvb, at, bytes, pinfo, tree, root)
	local room = math.min(bytes, tvb:len() - at)
	if room < ETHERNET_BYTES then
		has(tvb, at, ETHERNET_BYTES, tree, "the frame inside")
		return
	end
	local frame = tvb(at, room)
	if room == bytes then
		pcall(ethernet.call, ethernet, frame:tvb(), pinfo, root)
		return
	end
	local whole = frame:bytes()
	whole:set_size(bytes)
	tree:add_proto_expert_info(ef.cut, "the frame inside is cut off by the snap length")
	inner_kept, inner_padded = room, pinfo.number
	pcall(ethernet.call, ethernet, whole:tvb("Frame inside, with zeros for what is cut off"), pinfo, root)
	inner_kept = nil
end

-- length of the IP frame at @at as it says itself; nil: it is none
local function ip_frame_bytes(tvb, at)
	if tvb:len() < at + ETHERNET_BYTES + 6 then
		return nil
	end
	local ethertype = tvb(at + 12, 2):uint()
	local bytes = ETHERNET_BYTES + (ethertype == 0x0800 and tvb(at + 16, 2):uint() or
		ethertype == 0x86dd and 40 + tvb(at + 18, 2):uint() or 0)
	return bytes > FRAME_BYTES_MIN + SEQUENCE_BYTES and bytes or nil
end

-- bytes of the frame from @at on, of which @left are reported: a sequence may follow it
local function without_sequence(tvb, at, left, bytes)
	bytes = bytes or ip_frame_bytes(tvb, at)
	if link.prefs.sequences or bytes == left - SEQUENCE_BYTES then
		return left - SEQUENCE_BYTES
	end
	return left
end

local function sequence_add(tvb, at, left, bytes, tree)
	if bytes < left and tvb:len() >= at + left then
		tree:add(f.sequence, tvb(at + left - SEQUENCE_BYTES, SEQUENCE_BYTES))
	end
end

local FABRIC_BYTES, LID_BYTES = 12, 12

local function fabric_data(tvb, pinfo, tree, root)
	if not has(tvb, 0, FABRIC_BYTES, tree, "the fabric header") then
		return
	end
	local via = tvb(1, 1):bitfield(0, 5) * 256 + tvb(10, 1):uint()
	local flow_id, position = tvb(2, 2):bitfield(5, 11), tvb(4, 2):uint()
	local left = tvb:reported_len() - FABRIC_BYTES
	local bytes = without_sequence(tvb, FABRIC_BYTES, left)
	local units = math.floor((bytes + UNIT_BYTES - 1) / UNIT_BYTES)
	tree:add(f.class, tvb(0, 1))
	tree:add(f.via, tvb(1, 1), via)
	tree:add(f.ordered, tvb(1, 1))
	tree:add(f.flow_id, tvb(2, 2))
	tree:add(f.position, tvb(4, 2))
	tree:add(f.destination, tvb(6, 2))
	tree:add(f.egress_port, tvb(8, 1))
	tree:add(f.level, tvb(9, 1))
	tree:add(f.hops, tvb(9, 1))
	tree:add(f.units, tvb(11, 1))
	sequence_add(tvb, FABRIC_BYTES, left, bytes, tree)
	if tvb(0, 1):bitfield(4, 1) ~= 0 or tvb(1, 1):bitfield(5, 2) ~= 0 or tvb(2, 2):bitfield(0, 5) ~= 0 then
		malformed(tree, "a reserved bit of the fabric header is set")
	end
	if tvb(8, 1):uint() >= PORTS_MAX then
		malformed(tree, "there is no egress port " .. tvb(8, 1):uint())
	end
	if tvb(11, 1):uint() ~= units then
		malformed(tree, string.format("%d units for a frame of %d bytes, which has %d", tvb(11, 1):uint(),
			bytes, units))
	end
	inner(tvb, FABRIC_BYTES, bytes, pinfo, tree, root)
	pinfo.cols.info:prepend(string.format("[flow %d+%d to %d:%d] ", flow_id, position, tvb(6, 2):uint(),
		tvb(8, 1):uint()))
end

local function lid_data(tvb, pinfo, tree, root)
	if not has(tvb, 0, LID_BYTES, tree, "the local route header") then
		return
	end
	local left, length = tvb:reported_len() - LID_BYTES, tvb(2, 2):bitfield(2, 14)
	local bytes = without_sequence(tvb, LID_BYTES, left, length)
	local fecn, becn = tvb(2, 2):bitfield(0, 1) == 1, tvb(2, 2):bitfield(1, 1) == 1
	tree:add(f.lasting, tvb(1, 1))
	tree:add(f.service_level, tvb(1, 1))
	tree:add(f.lid_level, tvb(1, 1))
	tree:add(f.fecn, tvb(2, 2))
	tree:add(f.becn, tvb(2, 2))
	tree:add(f.lid_length, tvb(2, 2))
	tree:add(f.dlid, tvb(4, 4))
	tree:add(f.slid, tvb(8, 4))
	sequence_add(tvb, LID_BYTES, left, bytes, tree)
	if tvb(0, 1):bitfield(4, 4) ~= 0 then
		malformed(tree, "version " .. tvb(0, 1):bitfield(4, 4) .. " of the local route header")
	end
	if tvb(1, 1):bitfield(4, 1) ~= 0 then
		malformed(tree, "a reserved bit of the local route header is set")
	end
	if length ~= bytes then
		malformed(tree, string.format("a length of %d for a frame of %d bytes", length, bytes))
	end
	if fecn or becn then
		tree:add_proto_expert_info(ef.congestion, fecn and "FECN: a switch on the path was congested" or
			"BECN: the receiver slows down")
	end
	inner(tvb, LID_BYTES, bytes, pinfo, tree, root)
	pinfo.cols.info:prepend(string.format("[LID %d > %d%s%s] ", tvb(8, 4):uint(), tvb(4, 4):uint(),
		fecn and " FECN" or "", becn and " BECN" or ""))
end

local ACKS_AT, ACKS_MAX, ACK_BITS, FCS_BYTES = 5, 48, 25, 4
local ACK_ECA, ACK_REROUTE, ACK_LOSS, ACK_TYPES = 2, 4, 5, 6

local function ack_request(tree, range, value)
	tree:add(f.ack_choice, range, value % 2 == 1)
	tree:add(f.ack_downstream, range, math.floor(value / 2) % 2 == 1)
	tree:add(f.ack_without, range, math.floor(value / 4) % 8)
	tree:add(f.ack_upward, range, math.floor(value / 32))
end

-- the ACK number @i of the frame.  Return: its words for the line of the frame.
local function ack_add(tvb, i, tree)
	local bit = i * ACK_BITS
	local range = tvb(ACKS_AT + math.floor(bit / 8), math.floor((bit % 8 + ACK_BITS + 7) / 8))
	local flow_id = range:bitfield(bit % 8, 11)
	local kind = range:bitfield(bit % 8 + 11, 3)
	local value = range:bitfield(bit % 8 + 14, 11)
	local name = ack_types[kind] or "type " .. kind
	local item = tree:add(f.ack, range):set_text(string.format("%s of flow %d: %d %s", name, flow_id, value,
		ack_values[kind] or ""))
	item:add(f.ack_flow_id, range, flow_id)
	item:add(f.ack_type, range, kind)
	item:add(f.ack_value, range, value)
	if kind == ACK_REROUTE then
		ack_request(item, range, value)
	elseif kind == ACK_LOSS then
		item:add_proto_expert_info(ef.request, string.format("Flow %d has lost %d units", flow_id, value))
	elseif kind == ACK_ECA and (value < 1 or value > 255) then
		malformed(item, "there is no congestion factor " .. value)
	elseif kind >= ACK_TYPES then
		malformed(item, "there is no ACK of type " .. kind)
	end
	return string.format("%s %d: %d", name, flow_id, value)
end

-- bits after the last ACK
local function acks_padded(tvb, count, length)
	local used = count * ACK_BITS % 8
	return used == 0 or tvb(ACKS_AT + length - 1, 1):bitfield(used, 8 - used) == 0
end

local function ack_frame(tvb, pinfo, tree)
	pinfo.cols.info = "ACK frame"
	if not has(tvb, 0, ACKS_AT, tree, "the ACK frame") then
		return
	end
	local count, length = tvb(1, 1):uint(), math.floor((ACK_BITS * tvb(1, 1):uint() + 7) / 8)
	local bytes = ACKS_AT + length + FCS_BYTES
	tree:add(f.version, tvb(0, 1))
	tree:add(f.ack_count, tvb(1, 1))
	tree:add(f.ack_length, tvb(2, 2))
	tree:add(f.reserved, tvb(4, 1))
	if tvb(0, 1):bitfield(4, 4) ~= 0 or tvb(4, 1):uint() ~= 0 then
		malformed(tree, "version and reserved byte of an ACK frame must be 0")
	end
	if count < 1 or count > ACKS_MAX or tvb(2, 2):uint() ~= length then
		malformed(tree, string.format("%d ACKs in %d bytes", count, tvb(2, 2):uint()))
		return
	end
	if tvb:reported_len() ~= bytes and tvb:reported_len() ~= bytes + SEQUENCE_BYTES then
		malformed(tree, string.format("%d bytes for %d ACKs, which need %d", tvb:reported_len(), count, bytes))
	end
	if not has(tvb, 0, bytes, tree, "the ACK frame") then
		return
	end
	local words = {}
	for i = 0, count - 1 do
		words[#words + 1] = ack_add(tvb, i, tree)
	end
	if not acks_padded(tvb, count, length) then
		malformed(tree, "the padding after the last ACK is not 0")
	end
	local fcs = crc_of(tvb, 0, ACKS_AT + length)
	local good = fcs == tvb(ACKS_AT + length, FCS_BYTES):le_uint()
	tree:add_le(f.ack_fcs, tvb(ACKS_AT + length, FCS_BYTES))
	tree:add(f.ack_fcs_good, tvb(ACKS_AT + length, FCS_BYTES), good):set_generated()
	if not good then
		malformed(tree, string.format("the FCS of the ACK frame is wrong, right is 0x%08x", fcs))
	end
	sequence_add(tvb, 0, tvb:reported_len(), bytes, tree)
	pinfo.cols.info = table.concat(words, ", ")
end

local WORDS_AT, WORDS_MAX, WORD_BYTES = 4, 32, 8

local function word_frame(tvb, pinfo, tree)
	pinfo.cols.info = "control words"
	if not has(tvb, 0, WORDS_AT, tree, "the frame of control words") then
		return
	end
	local count = tvb(1, 1):uint()
	tree:add(f.version, tvb(0, 1))
	tree:add(f.word_count, tvb(1, 1))
	tree:add(f.reserved, tvb(2, 2))
	if tvb(0, 1):bitfield(4, 4) ~= 0 or tvb(2, 2):uint() ~= 0 then
		malformed(tree, "version and reserved bytes of control words must be 0")
	end
	if count < 1 or count > WORDS_MAX or tvb:reported_len() ~= WORDS_AT + count * WORD_BYTES then
		malformed(tree, string.format("%d control words in %d bytes", count, tvb:reported_len()))
		return
	end
	if not has(tvb, 0, WORDS_AT + count * WORD_BYTES, tree, "the frame of control words") then
		return
	end
	local words = {}
	for i = 0, count - 1 do
		local at = WORDS_AT + i * WORD_BYTES
		local kind, value = tvb(at, 1):uint(), tvb(at + 4, 4):uint()
		local name = word_kinds[kind] or "kind " .. kind
		local item = tree:add(f.word, tvb(at, WORD_BYTES)):set_text(string.format("%s, class %d: %d, %s", name,
			tvb(at + 1, 1):uint(), value, word_values[kind] or "?"))
		item:add(f.word_kind, tvb(at, 1))
		item:add(f.word_class, tvb(at + 1, 1))
		item:add(f.word_value, tvb(at + 4, 4))
		if tvb(at + 2, 2):uint() ~= 0 or not word_kinds[kind] then
			malformed(item, "a control word of kind " .. kind .. ", or a reserved byte of it is not 0")
		end
		words[#words + 1] = name .. " " .. value
	end
	pinfo.cols.info = table.concat(words, ", ")
end

local QUOTE_BYTES = 2

local function quote(tvb, pinfo, tree, root)
	pinfo.cols.info = "quoted frame of a host"
	if not has(tvb, 0, QUOTE_BYTES, tree, "the quote") then
		return
	end
	tree:add(f.version, tvb(0, 1))
	tree:add(f.reserved, tvb(1, 1))
	if tvb(0, 1):bitfield(4, 4) ~= 0 or tvb(1, 1):uint() ~= 0 then
		malformed(tree, "version and reserved byte of a quote must be 0")
	end
	local left = tvb:reported_len() - QUOTE_BYTES
	local bytes = without_sequence(tvb, QUOTE_BYTES, left)
	sequence_add(tvb, QUOTE_BYTES, left, bytes, tree)
	inner(tvb, QUOTE_BYTES, bytes, pinfo, tree, root)
	pinfo.cols.info:prepend("[quoted] ")
end

local readers = {
	[TYPE_DATA] = { fabric_data, "Heddle data" }, [TYPE_ACKS] = { ack_frame, "Heddle ACK" },
	[TYPE_WORDS] = { word_frame, "Heddle words" }, [TYPE_QUOTE] = { quote, "Heddle quote" },
	[TYPE_LID] = { lid_data, "Heddle LID" },
}

function link.dissector(tvb, pinfo, tree)
	local item = tree:add(link, tvb())
	pinfo.cols.protocol = "Heddle"
	pinfo.cols.info = "frame of a link"
	if not has(tvb, 0, 1, item, "the frame") then
		return 1 -- 0 would mean that it is of another protocol
	end
	local kind = tvb(0, 1):bitfield(0, 4)
	item:add(f.type, tvb(0, 1))
	item:append_text(", " .. (frame_types[kind] or "type " .. kind))
	if not readers[kind] then
		malformed(item, "there is no type " .. kind)
		return tvb:len()
	end
	pinfo.cols.protocol = readers[kind][2]
	readers[kind][1](tvb, pinfo, item, tree)
	return tvb:len()
end

-- ---- CNPs, and the ICRC of RoCEv2 ----

local OPCODE_CNP, BTH_BYTES, UDP_BYTES, CNP_ZEROS, ICRC_BYTES = 0x81, 12, 8, 16, 4
local CHECKED_BYTES_MAX = 128 -- longer frames only if the preference says so
local ipv4_field, ipv6_field = Field.new("ip"), Field.new("ipv6")
local udp_length_field = Field.new("udp.length")

-- the IP header in front of @before, and how long it is for the ICRC; nil: there is none
local function ip_before(before)
	local found
	for _, field in ipairs({ ipv4_field() }) do
		found = field.offset < before and { at = field.offset, version = 4 } or found
	end
	for _, field in ipairs({ ipv6_field() }) do
		found = field.offset < before and { at = field.offset, version = 6 } or found
	end
	return found
end

-- offsets from the IP header on of bytes that count as ones, since routers may change them
local MASKED = { [4] = { 1, 8, 10, 11 }, [6] = { 1, 2, 3, 7 } }

local function icrc_of(tvb, ip, bth, to)
	local ones = {}
	for _, at in ipairs(MASKED[ip.version]) do
		ones[ip.at + at] = true
	end
	ones[bth - 2], ones[bth - 1], ones[bth + 4] = true, true, true -- UDP checksum; FECN, BECN
	local data, crc = tvb(ip.at, to - ip.at):bytes(), 0xffffffff
	for _ = 1, 8 do
		crc = crc_add(crc, 0xff)
	end
	for i = 0, to - ip.at - 1 do
		local byte = data:get_index(i)
		if ones[ip.at + i] then
			byte = 0xff
		elseif ip.version == 6 and i == 0 then
			byte = 0x6f -- half of the traffic class
		end
		crc = crc_add(crc, byte)
	end
	return crc_end(crc)
end

local function icrc_check(tvb, bth, to, tree)
	local ip = ip_before(bth)
	if not ip or to + ICRC_BYTES > tvb:len() then
		return
	end
	local right = icrc_of(tvb, ip, bth, to)
	local range = tvb(to, ICRC_BYTES)
	local good = right == range:le_uint()
	local item = tree:add(icrc, range)
	item:add_le(fi.icrc, range)
	item:add(fi.good, range, good):set_generated()
	if not good then
		malformed(item, string.format("the ICRC is wrong, right is 0x%08x", right))
	end
end

local function cnp_read(tvb, bth, to, pinfo, tree)
	local signal = tvb(bth + 8, 1):bitfield(1, 7)
	tree:add(fc.queue_pair, tvb(bth + 5, 3))
	tree:add(fc.signal, tvb(bth + 8, 1))
	pinfo.cols.protocol = "CNP"
	pinfo.cols.info = string.format("CNP to queue pair 0x%06x", tvb(bth + 5, 3):uint())
	if to ~= bth + BTH_BYTES + CNP_ZEROS then
		malformed(tree, "a CNP has 16 bytes after its BTH")
	elseif not all_zero(tvb, bth + BTH_BYTES, CNP_ZEROS) then
		malformed(tree, "a CNP has zeros after its BTH")
	end
	if not signals[signal] then
		malformed(tree, "there is no signal " .. signal)
	elseif signal ~= 0 then
		pinfo.cols.info:append(", path signal: " .. signals[signal])
		tree:add_proto_expert_info(ef.congestion, "Signal along the path: " .. signals[signal])
	end
end

-- after all others: frames that Wireshark knows as RoCEv2
function icrc.dissector(tvb, pinfo, tree)
	local opcode, udp_length = opcode_field(), udp_length_field()
	if not opcode or not udp_length or inner_padded == pinfo.number then
		return
	end
	local bth = opcode.offset
	local to = bth - UDP_BYTES + udp_length.value - ICRC_BYTES
	if bth + BTH_BYTES > tvb:len() or to < bth + BTH_BYTES then
		return
	end
	if opcode.value == OPCODE_CNP then
		local item = tree:add(cnp, tvb(bth, math.min(to, tvb:len()) - bth))
		if has(tvb, bth, BTH_BYTES + CNP_ZEROS, item, "the CNP") then
			cnp_read(tvb, bth, to, pinfo, item)
		end
	end
	if to - bth <= CHECKED_BYTES_MAX or link.prefs.icrc then
		icrc_check(tvb, bth, to, tree)
	end
end

-- ---- where they are found ----

local ethertypes = DissectorTable.get("ethertype")
ethertypes:add(ETHERTYPE_LINK, link)
ethertypes:add(ETHERTYPE_TEST, test)
ethertypes:add(ETHERTYPE_OUI, fgfc)

local segment = Proto("heddle_segment", "Heddle Test Payload")
segment.dissector = test_segment
DissectorTable.get("udp.port"):add("18432-18687", segment)
DissectorTable.get("tcp.port"):add("18432-18687", segment)
test:register_heuristic("infiniband.payload", test_send)
register_postdissector(icrc)
