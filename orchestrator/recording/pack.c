#include "orchestrator/recording/pack.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES_MAX 10u

bool pack_reserve(struct pack *pack, size_t length)
{
	size_t size = pack->size ? pack->size : 4096;
	uint8_t *bytes;

	if (pack->failed)
		return false;
	while (size - pack->length < length)
		size *= 2;
	if (size == pack->size)
		return true;
	bytes = realloc(pack->bytes, size);
	if (!bytes) {
		pack->failed = true;
		return false;
	}
	pack->bytes = bytes;
	pack->size = size;
	return true;
}

void pack_bytes(struct pack *pack, const void *bytes, size_t length)
{
	if (!length || !pack_reserve(pack, length))
		return;
	memcpy(pack->bytes + pack->length, bytes, length);
	pack->length += length;
}

void pack_u32(struct pack *pack, uint32_t value)
{
	value = htole32(value);
	pack_bytes(pack, &value, sizeof(value));
}

void pack_number(struct pack *pack, uint64_t value)
{
	if (!pack_reserve(pack, NUMBER_BYTES_MAX))
		return;
	for (; value >= 0x80; value >>= 7)
		pack->bytes[pack->length++] = (uint8_t)(value | 0x80);
	pack->bytes[pack->length++] = (uint8_t)value;
}

void pack_signed(struct pack *pack, int64_t value)
{
	pack_number(pack, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

void pack_free(struct pack *pack)
{
	free(pack->bytes);
	*pack = (struct pack){ 0 };
}

uint64_t unpack_number(struct unpack *unpack)
{
	uint64_t value = 0;

	for (unsigned shift = 0; !unpack->bad && unpack->at < unpack->end; shift += 7) {
		uint8_t byte = *unpack->at++;

		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	unpack->bad = true;
	return 0;
}

int64_t unpack_signed(struct unpack *unpack)
{
	uint64_t value = unpack_number(unpack);

	return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

uint32_t unpack_below(struct unpack *unpack, uint64_t limit)
{
	uint64_t value = unpack_number(unpack);

	if (value < limit)
		return (uint32_t)value;
	unpack->bad = true;
	return 0;
}

uint32_t unpack_u32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return le32toh(value);
}

uint64_t unpack_u64(const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return le64toh(value);
}
