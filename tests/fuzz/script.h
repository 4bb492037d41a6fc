/*  script - the input of a fuzzer, read as numbers and bytes. */
#ifndef HEDDLE_TESTS_FUZZ_SCRIPT_H
#define HEDDLE_TESTS_FUZZ_SCRIPT_H

#include <stdint.h>
#include <string.h>

struct script {
	const uint8_t *at, *end;
};

/** take() - the next number of @bytes, big endian. Bytes after the end are 0. */
static inline uint32_t take(struct script *script, uint32_t bytes)
{
	uint32_t value = 0;

	while (bytes--)
		value = value << 8 | (script->at < script->end ? *script->at++ : 0);
	return value;
}

/** take_bytes() - the next @count bytes to @bytes. Return: how many there were. */
static inline uint32_t take_bytes(struct script *script, uint32_t count, uint8_t *bytes)
{
	uint32_t left = (uint32_t)(script->end - script->at);

	if (count > left)
		count = left;
	memcpy(bytes, script->at, count);
	script->at += count;
	return count;
}

#endif
