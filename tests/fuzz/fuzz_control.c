/*  Fuzzes nodes/control/control (TB-6, TB-23): the bytes of one control message from a peer that
 *  cannot be trusted.
 *
 *  What is refused comes with a sentence. What is accepted has passed node_config_check(), and
 *  packs to bytes that are accepted again and pack to the same bytes. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/control/control.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct control_message first, second;
	uint8_t *bytes = NULL, *again = NULL;
	struct why why = { "" };
	int length;

	if (control_unpack(data, size, &first, &why)) {
		assert(why.text[0] && !first.body && !first.config && !first.fd_count);
		return 0;
	}
	assert(first.kind < CONTROL_KINDS && !first.config == (first.kind != CONTROL_CONFIGURE));
	length = control_pack(&first, &bytes);
	assert(length > 0);
	assert(!control_unpack(bytes, (size_t)length, &second, &why));
	assert(control_pack(&second, &again) == length && !memcmp(bytes, again, (size_t)length));
	free(bytes);
	free(again);
	control_message_free(&first);
	control_message_free(&second);
	return 0;
}
