/*  replay - runs a fuzzer without libFuzzer (TB-23): every input of its corpus, then changed ones,
 *  until it has used CPU_MS. `make test` runs each fuzzer so, built as the unit tests are;
 *  `make fuzz` searches, guided by coverage.
 *
 *  The changed inputs are a fixed sequence: a faster machine sees more of it. The input that ends
 *  the program is kept in build/findings/, for `build/fuzz/fuzz/fuzz_NAME FILE` too.
 *
 *  usage: fuzz_NAME [FILE]    without FILE: the corpus tests/fuzz/corpus/NAME */
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sanitizer/common_interface_defs.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "nodes/base/random.h"

#define CPU_MS 400
#define INPUT_BYTES_MAX (1u << 20)
#define INPUTS_MAX 256
#define FINDINGS "build/findings"
#define EDITS_MAX 8
#define BLOCK_BYTES_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	uint8_t *bytes;
	size_t size;
};

static struct input corpus[INPUTS_MAX];
static unsigned corpus_count;
static struct input now; /* what the fuzzer reads */
static unsigned long inputs_run;
static char finding[256];

static void corpus_add(const char *path)
{
	struct input *input = &corpus[corpus_count];
	FILE *file = fopen(path, "rb");

	if (!file || corpus_count == INPUTS_MAX) {
		printf("%s: %s\n", path, file ? "too many inputs" : "cannot be read");
		exit(1);
	}
	input->bytes = malloc(INPUT_BYTES_MAX);
	input->size = input->bytes ? fread(input->bytes, 1, INPUT_BYTES_MAX, file) : 0;
	fclose(file);
	corpus_count++;
}

static void corpus_read(const char *folder)
{
	struct dirent **names;
	char path[512];
	int count = scandir(folder, &names, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			corpus_add(path);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
}

static void keep_finding(void)
{
	FILE *file = now.bytes ? fopen(finding, "wb") : NULL;

	if (file) {
		fwrite(now.bytes, 1, now.size, file);
		fclose(file);
	}
	printf("input %lu ends it: %s\n", inputs_run, finding);
	fflush(stdout);
}

static void on_abort(int number)
{
	keep_finding();
	signal(number, SIG_DFL);
	raise(number);
}

static void input_run(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1); /* a read beyond its end is seen */

	if (!copy)
		exit(1);
	memcpy(copy, bytes, size);
	now = (struct input){ copy, size };
	inputs_run++;
	LLVMFuzzerTestOneInput(copy, size);
	now = (struct input){ 0 };
	free(copy);
}

/* one edit of @size bytes.  Return: the new size, at most @max */
static size_t edit(uint8_t *bytes, size_t size, size_t max, struct random *random)
{
	static const uint8_t special[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	const struct input *other = &corpus[random_below(random, corpus_count)];
	size_t at = size ? random_below(random, size) : 0;
	size_t block = 1 + random_below(random, BLOCK_BYTES_MAX);
	size_t from = other->size ? random_below(random, other->size) : 0;

	switch (size ? random_below(random, 6) : 4) {
	case 0:
		bytes[at] ^= (uint8_t)(1u << random_below(random, 8));
		return size;
	case 1:
		bytes[at] = special[random_below(random, sizeof(special))];
		return size;
	case 2:
		bytes[at] = (uint8_t)random_next(random);
		return size;
	case 3: /* less */
		block = block < size - at ? block : size - at;
		memmove(bytes + at, bytes + at + block, size - at - block);
		return size - block;
	case 4: /* more: a block of an input of the corpus */
		block = block < other->size - from ? block : other->size - from;
		block = block < max - size ? block : max - size;
		memmove(bytes + at + block, bytes + at, size - at);
		memcpy(bytes + at, other->bytes + from, block);
		return size + block;
	default: /* another block in its place */
		block = block < other->size - from ? block : other->size - from;
		block = block < size - at ? block : size - at;
		memcpy(bytes + at, other->bytes + from, block);
		return size;
	}
}

static bool has_time(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return used.tv_sec * 1000 + used.tv_nsec / 1000000 < CPU_MS;
}

int main(int argc, char **argv)
{
	static uint8_t bytes[INPUT_BYTES_MAX + BLOCK_BYTES_MAX * EDITS_MAX];
	const char *slash = strrchr(argv[0], '/'), *program = slash ? slash + 1 : argv[0];
	const char *name = strncmp(program, "fuzz_", 5) ? program : program + 5;
	struct random random;
	char folder[256];

	if (argc > 2) {
		printf("usage: %s [FILE]\n", program);
		return 2;
	}
	snprintf(folder, sizeof(folder), "tests/fuzz/corpus/%s", name);
	mkdir(FINDINGS, 0777);
	snprintf(finding, sizeof(finding), FINDINGS "/%s-%d", program, (int)getpid());
	__sanitizer_set_death_callback(keep_finding);
	signal(SIGABRT, on_abort);
	if (argc == 2)
		corpus_add(argv[1]);
	else
		corpus_read(folder);
	if (!corpus_count) {
		printf("%s has no inputs\n", folder);
		return 1;
	}
	for (unsigned i = 0; i < corpus_count; i++)
		input_run(corpus[i].bytes, corpus[i].size);
	random_init(&random, 1, 0);
	while (argc == 1 && has_time()) {
		const struct input *input = &corpus[random_below(&random, corpus_count)];
		size_t size = input->size;

		memcpy(bytes, input->bytes, size);
		for (uint64_t edits = 1 + random_below(&random, EDITS_MAX); edits; edits--)
			size = edit(bytes, size, sizeof(bytes), &random);
		input_run(bytes, size);
	}
	for (unsigned i = 0; i < corpus_count; i++)
		free(corpus[i].bytes);
	printf("%u inputs of the corpus, %lu changed ones\n", corpus_count,
	       inputs_run - corpus_count);
	return 0;
}
