/*  pack - numbers as bytes, and back: LEB128, and little endian of a fixed length.
 *
 *  A number below 128 is one byte. What is signed is folded first: 0, -1, 1, -2 ... are 0, 1, 2, 3
 *  ... (zigzag). */
#ifndef HEDDLE_ORCHESTRATOR_RECORDING_PACK_H
#define HEDDLE_ORCHESTRATOR_RECORDING_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* bytes that grow; all zero: none */
struct pack {
	uint8_t *bytes; /* owned */
	size_t length, size;
	bool failed; /* memory was short: what was added is incomplete */
};

/** pack_reserve() - space for @length more bytes. Return: false if memory is short. */
bool pack_reserve(struct pack *pack, size_t length);

/** pack_bytes(), pack_u32(), pack_number(), pack_signed() - adds bytes, 4 bytes, a number, a signed
 *  number. An error is kept in @pack->failed. */
void pack_bytes(struct pack *pack, const void *bytes, size_t length);
void pack_u32(struct pack *pack, uint32_t value);
void pack_number(struct pack *pack, uint64_t value);
void pack_signed(struct pack *pack, int64_t value);

/** pack_free() - frees its bytes; it is empty then. */
void pack_free(struct pack *pack);

/* a place in bytes that are borrowed */
struct unpack {
	const uint8_t *at, *end;
	bool bad; /* the bytes ended, or a number had more than 64 bits: numbers are 0 from there */
};

/** unpack_number(), unpack_signed() - the next number; 0 if there is none, and @unpack->bad. */
uint64_t unpack_number(struct unpack *unpack);
int64_t unpack_signed(struct unpack *unpack);

/** unpack_below() - the next number, which must be less than @limit. */
uint32_t unpack_below(struct unpack *unpack, uint64_t limit);

/** unpack_u32(), unpack_u64() - from 4, 8 bytes that are there. */
uint32_t unpack_u32(const uint8_t *bytes);
uint64_t unpack_u64(const uint8_t *bytes);

#endif
