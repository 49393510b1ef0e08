-- SPDX-License-Identifier: GPL-2.0-only
--
-- Wireshark dissector for RPC-over-RDMA version 2, as specified in
-- draft-cel-nfsv4-rpcrdma-version-two-09, with the optional header types and
-- the transport properties of this project.
--
-- In connection manager messages of InfiniBand and RoCE, it shows the private
-- data of RFC 8797 and the version hint that follows.
--
-- Version 1 is left to Wireshark's own dissector, rpcordma. This dissector
-- examines Sends on Reliable Connections, reassembles messages of several
-- packets, and passes RPC messages to the dissector rpc. Every header field has
-- a name below "rpcrdma2."; "rpcrdma2.malformed" finds messages that a receiver
-- rejects.
--
--   tshark -X lua_script:rpcrdma2.lua -r FILE -Y 'rpcrdma2.htype == 4'
--
-- or install it: make install-dissector.

local proto = Proto("rpcrdma2", "RPC-over-RDMA version 2")

local VERSION = 2
local SEGMENT_SIZE = 16
local READ_ENTRY_SIZE = 24

local htypes = {
	[0] = "RDMA2_MSG", [1] = "RDMA2_NOMSG", [3] = "RDMA2_DONE",
	[4] = "RDMA2_ERROR", [5] = "RDMA2_CONNPROP", [7] = "RDMA2_REQPROP",
	[8] = "RDMA2_RESPROP", [9] = "RDMA2_UPDPROP",
}
local errcodes = {
	[1] = "RDMA2_ERR_VERS", [2] = "RDMA2_ERR_BAD_XDR",
	[3] = "RDMA2_ERR_INVAL_HTYPE", [4] = "RDMA2_ERR_READ_CHUNKS",
	[5] = "RDMA2_ERR_WRITE_CHUNKS", [6] = "RDMA2_ERR_SEGMENTS",
	[7] = "RDMA2_ERR_WRITE_RESOURCE", [8] = "RDMA2_ERR_REPLY_RESOURCE",
	[9] = "RDMA2_ERR_SYSTEM",
}
local RBSIZ, BRS = 1, 2
local REMOTE_INV, READ_REPLIES = 0xffffff01, 0xffffff02
local HTYPES, NOCHANGE = 0xffffff03, 0xffffff04
local propids = {
	[RBSIZ] = "Receive Buffer Size", [BRS] = "Reverse Request Support",
	[REMOTE_INV] = "Requester Remote Invalidation",
	[READ_REPLIES] = "Responder-Provided Read Chunks",
	[HTYPES] = "OPTIONAL Header Types", [NOCHANGE] = "Will Not Change",
}
local reverse = {
	[0] = "RDMA2_RVREQSUP_NONE", [1] = "RDMA2_RVREQSUP_INLINE",
	[2] = "RDMA2_RVREQSUP_GENL",
}
local yes_no = { [0] = "no", [1] = "yes" }

local fields = {}

-- Declare rpcrdma2.NAME.
local function field(kind, name, title, base, values)
	fields[name] = ProtoField[kind]("rpcrdma2." .. name, title, base, values)
end

field("uint32", "xid", "XID", base.HEX)
field("uint32", "vers", "Version", base.DEC)
field("uint32", "credit", "Credits", base.DEC)
field("uint32", "htype", "Header type", base.DEC, htypes)
field("uint32", "flags", "Flags", base.HEX)
fields["flags.response"] = ProtoField.bool("rpcrdma2.flags.response",
	"Response", 32, nil, 1)
field("uint32", "inv_handle", "Handle to invalidate", base.HEX)
field("uint32", "reads_count", "Read segments", base.DEC)
field("uint32", "writes_count", "Write chunks", base.DEC)
field("uint32", "reply_count", "Reply chunks", base.DEC)
field("uint32", "position", "Position", base.DEC)
field("uint32", "segment_count", "Segments in the chunk", base.DEC)
field("uint32", "handle", "Handle", base.HEX)
field("uint32", "length", "Length", base.DEC)
field("uint64", "offset", "Offset", base.HEX)
field("uint32", "err", "Error", base.DEC, errcodes)
field("uint32", "vers_low", "Lowest version", base.DEC)
field("uint32", "vers_high", "Highest version", base.DEC)
field("uint32", "max_chunks", "Maximum number of chunks", base.DEC)
field("uint32", "max_segments", "Maximum number of segments", base.DEC)
field("uint32", "chunk_index", "Write chunk that is too small", base.DEC)
field("uint32", "length_needed", "Bytes needed", base.DEC)
field("uint32", "props_count", "Properties", base.DEC)
field("uint32", "prop.id", "Property", base.HEX, propids)
field("uint32", "prop.length", "Length of the value", base.DEC)
field("bytes", "prop.data", "Value")
field("uint32", "prop.rbsiz", "Bytes", base.DEC)
field("uint32", "prop.brs", "Reverse requests", base.DEC, reverse)
field("uint32", "prop.remote_inv", "Handles may be invalidated", base.DEC, yes_no)
field("uint32", "prop.read_replies", "Replies in Read chunks", base.DEC, yes_no)
field("uint32", "prop.htype", "Supports header type", base.DEC, htypes)
field("uint32", "prop.nochange", "Index of a property that will not change", base.DEC)
field("uint32", "resp.done", "Index of a property done", base.DEC)
field("uint32", "resp.rejected", "Index of a property rejected", base.DEC)
field("uint32", "resp.pending", "Index of a property pending", base.DEC)
field("uint32", "upd.pendclr", "No longer pending", base.DEC, yes_no)
field("framenum", "reassembled_in", "Reassembled in")
field("uint32", "fragments", "Packets of the message", base.DEC)

field("uint8", "private.vers", "Version of the message", base.DEC)
field("uint8", "private.flags", "Flags", base.HEX)
fields["private.remote_inv"] = ProtoField.bool("rpcrdma2.private.remote_inv",
	"Handles may be invalidated", 8, nil, 1)
field("uint32", "private.send_size", "Longest message sent", base.DEC)
field("uint32", "private.recv_size", "Size of Receives", base.DEC)
field("uint8", "hint.format", "Version of the hint", base.DEC)
field("uint8", "hint.highest", "Highest version of RPC-over-RDMA", base.DEC)
field("string", "hint.document", "Draft of version 2")

local list = {}
for _, f in pairs(fields) do
	list[#list + 1] = f
end
proto.fields = list

local malformed = ProtoExpert.new("rpcrdma2.malformed", "Malformed",
	expert.group.MALFORMED, expert.severity.ERROR)
local unknown = ProtoExpert.new("rpcrdma2.unknown", "Undefined",
	expert.group.UNDECODED, expert.severity.WARN)
local failed = ProtoExpert.new("rpcrdma2.failed", "The message was refused",
	expert.group.RESPONSE_CODE, expert.severity.NOTE)
local inconsistent = ProtoExpert.new("rpcrdma2.inconsistent",
	"Inconsistent",
	expert.group.PROTOCOL, expert.severity.WARN)
proto.experts = { malformed, unknown, failed, inconsistent }

local opcode_field = Field.new("infiniband.bth.opcode")
local qp_field = Field.new("infiniband.bth.destqp")
local psn_field = Field.new("infiniband.bth.psn")
-- A key for one direction between two hosts, and a Queue Pair, XID or handle in that direction
local function between(from, to, what)
	return tostring(from) .. ">" .. tostring(to) .. "/" .. tostring(what)
end

-- A reader walks over a message and reports errors in it. After the first error,
-- all its functions return nil.
local Reader = {}
Reader.__index = Reader

function Reader.new(tvb, tree)
	return setmetatable({ tvb = tvb, at = 0, tree = tree }, Reader)
end

function Reader:left()
	return self.tvb:len() - self.at
end

function Reader:fail(why, tree)
	if not self.bad then
		self.bad = why;
		(tree or self.tree):add_proto_expert_info(malformed, why)
	end
	return nil
end

-- Does the message have that many more bytes?
function Reader:has(bytes, what, tree)
	if not self.bad and self:left() < bytes then
		self:fail(what .. ": truncated", tree)
	end
	return not self.bad
end

-- The next word, without moving.
function Reader:peek()
	return self.tvb(self.at, 4):uint()
end

-- Take the next word without showing it.
function Reader:skip(what, tree)
	if not self:has(4, what, tree) then
		return nil
	end
	local value = self:peek()
	self.at = self.at + 4
	return value
end

-- Take the next word, and add it to tree as a field.
function Reader:word(tree, name)
	local at, value = self.at, self:skip(name, tree)
	return value, value and tree:add(fields[name], self.tvb(at, 4))
end

-- A boolean: 0 or 1.
function Reader:discriminator(what, tree)
	local value = self:skip(what, tree)
	if value and value > 1 then
		return self:fail(what .. ": neither 0 nor 1", tree)
	end
	return value
end

local function show_segment(tree, range)
	tree:add(fields.handle, range(0, 4))
	tree:add(fields.length, range(4, 4))
	tree:add(fields.offset, range(8, 8))
end

local function generated(tree, name, value)
	tree:add(fields[name], value):set_generated()
end

-- A list whose entries each follow a discriminator. Returns the number of
-- entries, or nil after an error.
local function list(reader, tree, name, entry)
	local count, start = 0, reader.at
	local sub = tree:add(proto, reader.tvb(start), name)
	local more = reader:discriminator(name, sub)
	while more == 1 do
		if not entry(reader, sub) then
			return nil
		end
		count = count + 1
		more = reader:discriminator(name, sub)
	end
	sub:set_len(reader.at - start)
	sub:append_text(" (" .. count .. ")")
	return more and count
end

local function read_entry(reader, tree)
	if not reader:has(READ_ENTRY_SIZE - 4, "Read list", tree) then
		return false
	end
	local position = reader:peek()
	if position % 4 ~= 0 then
		return reader:fail("Read list: position is not a multiple of 4", tree)
	end
	local entry = tree:add(proto, reader.tvb(reader.at, READ_ENTRY_SIZE - 4),
		"Segment at position " .. position)
	entry:add(fields.position, reader.tvb(reader.at, 4))
	show_segment(entry, reader.tvb(reader.at + 4, SEGMENT_SIZE))
	reader.at = reader.at + READ_ENTRY_SIZE - 4
	return true
end

local function chunk(reader, tree)
	local start = reader.at
	if not reader:has(4, "Chunk", tree) then
		return false
	end
	local sub = tree:add(proto, reader.tvb(start), "Chunk")
	local count = reader:word(sub, "segment_count")
	if count > reader:left() / SEGMENT_SIZE then
		return reader:fail("Chunk: truncated", sub)
	end
	for i = 0, count - 1 do
		show_segment(sub, reader.tvb(reader.at + i * SEGMENT_SIZE,
			SEGMENT_SIZE))
	end
	reader.at = reader.at + count * SEGMENT_SIZE
	sub:set_len(reader.at - start)
	return true
end

local function reply_chunk(reader, tree)
	local start = reader.at
	local sub = tree:add(proto, reader.tvb(start), "Reply chunk")
	local count = reader:discriminator("Reply chunk", sub)
	if count == 1 and not chunk(reader, sub) then
		return nil
	end
	sub:set_len(reader.at - start)
	return count
end

-- Section 3.3; the counts are fields, too. Returns false after an error.
local function chunk_lists(reader, tree)
	if not reader:word(tree, "inv_handle") then
		return false
	end
	for _, l in ipairs({ { "reads_count", list, "Read list", read_entry },
			     { "writes_count", list, "Write list", chunk },
			     { "reply_count", reply_chunk } }) do
		-- An empty range would cause an error in Wireshark.
		if not reader:has(4, "Chunk lists", tree) then
			return false
		end
		local count = l[2](reader, tree, l[3], l[4])
		if not count then
			return false
		end
		generated(tree, l[1], count)
	end
	return true
end

-- Show the bits that are set in an rpcrdma2_propsubset of the given length, and return its words.
local function subset(reader, tree, name, bytes)
	local all = {}
	local first = reader.at
	local words = reader:skip(name, tree)
	if not words then
		return
	end
	if words > reader:left() / 4 or
	   (bytes and words ~= bytes / 4 - 1) then
		return reader:fail(name .. ": wrong length", tree)
	end
	for i = 0, words - 1 do
		local range = reader.tvb(first + 4 + i * 4, 4)
		all[i + 1] = range:uint()
		for b = 0, 31 do
			if bit.band(all[i + 1], bit.lshift(1, b)) ~= 0 then
				tree:add(fields[name], range, i * 32 + b)
			end
		end
	end
	reader.at = first + 4 + words * 4
	return all
end

-- An opaque array: bit T mod 8 of octet T div 8 stands for header type T.
local function header_types(reader, tree, bytes)
	local len = reader:skip("prop.htype", tree)
	if not len then
		return
	end
	if len > bytes or bytes ~= 4 + len + (-len) % 4 then
		return reader:fail("prop.htype: wrong length", tree)
	end
	for i = 0, len - 1 do
		local range = reader.tvb(reader.at + i, 1)
		for b = 0, 7 do
			if bit.band(range:uint(), bit.lshift(1, b)) ~= 0 then
				tree:add(fields["prop.htype"], range, i * 8 + b)
			end
		end
	end
	reader.at = reader.at + bytes - 4
end

-- Properties that are one word: the field, and the largest value.
local words = {
	[RBSIZ] = { "prop.rbsiz", 0xffffffff }, [BRS] = { "prop.brs", 2 },
	[REMOTE_INV] = { "prop.remote_inv", 1 },
	[READ_REPLIES] = { "prop.read_replies", 1 },
}

local function property_value(reader, tree, id, len)
	if words[id] then
		if len ~= 4 then
			return reader:fail(words[id][1] .. ": not 4 bytes", tree)
		end
		if reader:word(tree, words[id][1]) > words[id][2] then
			reader:fail(words[id][1] .. ": undefined value", tree)
		end
	elseif id == HTYPES then
		if len < 4 then
			return reader:fail("prop.htype: no length", tree)
		end
		header_types(reader, tree, len)
	elseif id == NOCHANGE then
		if len < 4 or len % 4 ~= 0 then
			return reader:fail("prop.nochange: wrong length", tree)
		end
		subset(reader, tree, "prop.nochange", len)
	else
		tree:add_proto_expert_info(unknown, "Undefined property")
	end
end

-- Section 4.1, rpcrdma2_propval. An empty value is the default.
local function property(reader, tree)
	if not reader:has(8, "Property", tree) then
		return
	end
	local sub = tree:add(proto, reader.tvb(reader.at), "Property")
	local id = reader:word(sub, "prop.id")
	local len = reader:word(sub, "prop.length")
	local padded = len + (-len) % 4
	sub:append_text(": " .. (propids[id] or string.format("0x%08x", id)))
	if not reader:has(padded, "Property", sub) then
		return
	end
	sub:set_len(8 + padded)
	local next = reader.at + padded
	if len > 0 then
		sub:add(fields["prop.data"], reader.tvb(reader.at, len))
		property_value(reader, sub, id, len)
	else
		sub:append_text(" (default)")
	end
	reader.at = next
end

local function properties(reader, tree)
	for _ = 1, reader:word(tree, "props_count") or 0 do
		if reader.bad then
			return
		end
		property(reader, tree)
	end
end

-- Section 5.3.3: the fields that follow each error code
local bodies = {
	[1] = { "vers_low", "vers_high" }, [4] = { "max_chunks" },
	[5] = { "max_chunks" }, [6] = { "max_segments" },
	[7] = { "chunk_index", "length_needed" }, [8] = { "length_needed" },
}

local function error_body(reader, tree, pinfo)
	local code, item = reader:word(tree, "err")
	if not code then
		return
	end
	local name = errcodes[code] or "error " .. code
	pinfo.cols.info:append(" " .. name)
	if errcodes[code] then
		item:add_proto_expert_info(failed, name)
	else
		item:add_proto_expert_info(unknown, "Undefined error")
	end
	for _, f in ipairs(bodies[code] or {}) do
		reader:word(tree, f)
	end
end

-- Section 4.3 of the characteristics draft: the subsets should not overlap.
local function resp_body(reader, tree)
	local any, twice = {}, false
	for _, name in ipairs({ "resp.done", "resp.rejected", "resp.pending" }) do
		local words = subset(reader, tree, name)
		if not words then
			return
		end
		for i, word in ipairs(words) do
			twice = twice or bit.band(any[i] or 0, word) ~= 0
			any[i] = bit.bor(any[i] or 0, word)
		end
	end
	if twice then
		tree:add_proto_expert_info(inconsistent, "A property is in two subsets")
	end
end

local function upd_body(reader, tree)
	property(reader, tree)
	local clear = reader:word(tree, "upd.pendclr")
	if clear and clear > 1 then
		reader:fail("upd.pendclr: neither 0 nor 1", tree)
	end
end

-- The answer of a version 1 responder to a version 2 message, if it copies the
-- version: RDMA_ERROR without flags, with ERR_VERS and 1 as the lowest version.
local function is_v1_err_vers(tvb)
	return tvb:len() == 28 and tvb(12, 4):uint() == 4 and
		tvb(16, 4):uint() == 1 and tvb(20, 4):uint() == 1
end

local rpc = Dissector.get("rpc")
local data = Dissector.get("data")

local function body(reader, tree, pinfo, root, htype)
	if htype == 0 or htype == 1 then
		if not chunk_lists(reader, tree) then
			return
		end
		if htype == 1 then
			return
		end
		if not reader:has(4, "RPC message", tree) then
			return
		end
		tree:set_len(reader.at)
		-- The RPC dissector shows errors in the RPC message. An error here would
		-- make Wireshark try other dissectors on the packet.
		pcall(rpc.call, rpc, reader.tvb(reader.at):tvb(), pinfo, root)
		return
	elseif htype == 4 then
		error_body(reader, tree, pinfo)
	elseif htype == 5 or htype == 7 then
		properties(reader, tree)
	elseif htype == 8 then
		resp_body(reader, tree)
	elseif htype == 9 then
		upd_body(reader, tree)
	end
	if reader:left() > 0 then
		data:call(reader.tvb(reader.at):tvb(), pinfo, tree)
	end
end

-- A whole message.
local function dissect(tvb, pinfo, root)
	pinfo.cols.protocol = "RPCoRDMA2"
	local tree = root:add(proto, tvb())
	local reader = Reader.new(tvb, tree)
	local xid = reader:word(tree, "xid")
	reader:word(tree, "vers")
	local credit = reader:word(tree, "credit")
	local htype = reader:word(tree, "htype")
	if not htype then
		return
	end
	local name = htypes[htype] or "type " .. htype
	pinfo.cols.info = string.format("%s XID 0x%08x credits %u", name, xid, credit)
	tree:append_text(", " .. name)
	if is_v1_err_vers(tvb) then
		tree:append_text(" in the format of version 1")
		return error_body(reader, tree, pinfo)
	end
	local flags, item = reader:word(tree, "flags")
	if not flags then
		return
	end
	item:add(fields["flags.response"], tvb(16, 4))
	if flags > 1 then
		item:add_proto_expert_info(unknown, "Undefined flags")
	end
	-- RDMA2_RESPROP is the only one of these types that is a response.
	if htype >= 7 and htype <= 9 and (htype == 8) ~= (flags % 2 == 1) then
		item:add_proto_expert_info(inconsistent, name .. " with the wrong response flag")
	end
	if not htypes[htype] then
		reader:fail("Undefined header type")
	end
	body(reader, tree, pinfo, root, htype)
end

-- Private data of the connection manager: RFC 8797, section 4, and the version
-- hint of Documentation/protocol.rst. Sizes are sent in units of 1024 bytes,
-- minus one. A receiver ignores a hint that it does not understand.
local function version_hint(tvb, tree)
	if tvb:len() < 24 or tvb(8, 4):uint() ~= 0x7b9e50d4 then
		return
	end
	local sub = tree:add(proto, tvb(8, 16), "Version hint")
	sub:add(fields["hint.format"], tvb(12, 1))
	if tvb(12, 1):uint() ~= 1 then
		sub:add_proto_expert_info(unknown, "Hint with an unknown format")
		return
	end
	local item = sub:add(fields["hint.highest"], tvb(13, 1))
	if tvb(13, 1):uint() == 0 then
		item:add_proto_expert_info(unknown, "Version 0 is not valid")
	end
	sub:add(fields["hint.document"], tvb(16, 8))
end

local function private_data(tvb, pinfo, root)
	if tvb:len() < 8 or tvb(0, 4):uint() ~= 0xf6ab0e18 then
		return false
	end
	local tree = root:add(proto, tvb(), "RPC-over-RDMA private data")
	local item = tree:add(fields["private.vers"], tvb(4, 1))
	if tvb(4, 1):uint() ~= 1 then
		item:add_proto_expert_info(unknown, "Version that is not defined")
		return true
	end
	tree:add(fields["private.flags"], tvb(5, 1)):add(
		fields["private.remote_inv"], tvb(5, 1))
	tree:add(fields["private.send_size"], tvb(6, 1), (tvb(6, 1):uint() + 1) * 1024)
	tree:add(fields["private.recv_size"], tvb(7, 1), (tvb(7, 1):uint() + 1) * 1024)
	version_hint(tvb, tree)
	return true
end

-- Opcodes of Reliable Connections that carry a Send
local FIRST, MIDDLE, LAST, ONLY = 1, 2, 3, 4
local sends = {
	[0] = FIRST, [1] = MIDDLE, [2] = LAST, [3] = LAST, [4] = ONLY, [5] = ONLY,
	[22] = LAST, [23] = ONLY,
}

-- For each direction of a connection: whether version 2 was seen, and the
-- message that is being reassembled. For each packet: the message it completes.
local flows, messages, parts, looked_at = {}, {}, {}, {}

function proto.init()
	flows, messages, parts, looked_at = {}, {}, {}, {}
end

local function flow_of(pinfo)
	local key = between(pinfo.src, pinfo.dst, qp_field()())
	flows[key] = flows[key] or {}
	return flows[key]
end

local function is_ours(tvb, flow)
	return tvb:len() >= 8 and tvb(4, 4):uint() == VERSION and
		(flow.known or tvb:len() >= 16 and htypes[tvb(12, 4):uint()] ~= nil)
end

-- The first pass over a packet that is part of a message. The sequence number
-- reveals repeated and missing packets.
local function collect(tvb, pinfo, flow, kind)
	local psn = psn_field()()
	if kind == FIRST then
		flow.message = is_ours(tvb, flow) and
			{ bytes = ByteArray.new(), frames = {}, psn = psn } or nil
	end
	local message = flow.message
	if not message or psn ~= message.psn then
		return
	end
	flow.known = true
	message.bytes:append(tvb:bytes())
	message.frames[#message.frames + 1] = pinfo.number
	message.psn = (psn + 1) % 0x1000000
	parts[pinfo.number] = message
	if kind == LAST then
		message.last = pinfo.number
		messages[pinfo.number] = message
		flow.message = nil
	end
end

-- A packet with a whole message. Returns false if it is not version 2.
local function whole(tvb, pinfo, root)
	local flow = flow_of(pinfo)
	if not is_ours(tvb, flow) then
		return false
	end
	flow.known = true
	dissect(tvb, pinfo, root)
	return true
end

-- A packet with a part of a message. The message is shown in the last packet.
local function part(tvb, pinfo, root, kind)
	if not looked_at[pinfo.number] then
		looked_at[pinfo.number] = true
		collect(tvb, pinfo, flow_of(pinfo), kind)
	end
	local message = parts[pinfo.number]
	if not message then
		return
	end
	if messages[pinfo.number] then
		dissect(message.bytes:tvb("RPC-over-RDMA message"), pinfo, root)
		generated(root, "fragments", #message.frames)
		return
	end
	pinfo.cols.protocol = "RPCoRDMA2"
	pinfo.cols.info = "RPC-over-RDMA version 2, part of a message"
	local tree = root:add(proto, tvb(), "RPC-over-RDMA version 2, part of a message")
	if message.last then
		generated(tree, "reassembled_in", message.last)
	end
end

local function kind_of_packet()
	local opcode = opcode_field()
	return opcode and sends[opcode()]
end

-- The last packet with a whole message for which the heuristic was called
local seen

-- Parts of messages are not claimed: rpcordma reassembles them as well, and
-- fails on the last packet if it has not seen the others.
local function heuristic(tvb, pinfo, root)
	if kind_of_packet() ~= ONLY then
		return false
	end
	seen = pinfo.number
	return whole(tvb, pinfo, root)
end

-- Handles all packets that the heuristic has not seen: parts of messages, and
-- messages claimed by rpcordma's heuristic, which ignores the version.
-- Wireshark first asks the heuristic that succeeded last.
function proto.dissector(tvb, pinfo, root)
	local psn, kind = psn_field(), kind_of_packet()
	local skip = seen == pinfo.number
	seen = nil
	local opcode = psn and opcode_field()()
	if skip or not psn or not kind or tvb:len() ~= tvb:reported_len() then
		return
	end
	-- Twelve bytes of Base Transport Header end with the sequence number.
	local start = psn.offset + psn.len
	local pad = bit.band(bit.rshift(tvb(start - 11, 1):uint(), 4), 3)
	if opcode >= 22 then
		start = start + 4
	end
	local len = tvb:len() - start - pad - 4
	if len <= 0 then
		return
	end
	local payload = tvb(start, len):tvb()
	if kind == ONLY then
		whole(payload, pinfo, root)
	else
		part(payload, pinfo, root, kind)
	end
end

proto:register_heuristic("infiniband.payload", heuristic)
proto:register_heuristic("infiniband.mad.cm.private", private_data)
register_postdissector(proto)
