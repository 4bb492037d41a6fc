/*  scenario_keys - reads mappings with known keys by tables: key, kind of value, range,
 *  destination.
 *
 *  Every error is made here, so all of them read alike: what was written, what was expected, which
 *  word was probably meant. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_KEYS_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_KEYS_H

#include "nodes/base/array.h"
#include "orchestrator/base/quantity.h"
#include "orchestrator/base/yaml_reader.h"
#include "orchestrator/scenario/scenario.h"

struct links_settings {
	struct link_config base, edge, fabric;
};

/* the state while a scenario is read */
struct reader {
	struct scenario *scenario;
	struct scenario_errors *errors;
	struct links_settings links;
	bool out_of_memory;
	const struct origin *files; /* its inputs may be opened, no others; NULL: any file */
};

struct key;

/* Reads @value into @target + key->offset; errors go to @reader. */
typedef void key_read_fn(struct reader *reader, const struct key *key,
			 const struct yaml_node *value, void *target);

struct key {
	const char *name;
	key_read_fn *read;
	size_t offset, bytes;     /* of the field: KEY_FIELD */
	uint64_t min, max;        /* in the unit of the field */
	uint64_t one;             /* key_share: the number of the field for 100 % */
	const char *const *words; /* key_word: words[i] is the number i */
	size_t word_count;
	bool required, zero; /* zero: 0 is allowed although min is more */
	/* offset of a bool: the key was read without an error; 0: none */
	size_t complete;
	/* of a table of parameters: scenario_parameters.h */
	const struct parameter *row;
	const struct parameters_reading *reading;
};

#define KEY_FIELD(type, field) .offset = offsetof(type, field), .bytes = sizeof(((type *)0)->field)

/** keys_read() - reads @mapping into @target, in the order of @keys. @what names it in errors: "the
 *  run". An empty value counts as an empty mapping. Unknown keys are refused with a suggestion.
 *  Return: false if it is no mapping. */
bool keys_read(struct reader *reader, const struct yaml_node *mapping, const char *what,
	       const struct key *keys, size_t key_count, void *target);

/** keys_read_mechanism() - the same for a mechanism with numbers: a mapping, or yes or no as the
 *  value of its first key. */
void keys_read_mechanism(struct reader *reader, const struct yaml_node *node, const char *what,
			 const struct key *keys, size_t key_count, void *target);

/* kinds of values; of a host, a switch or a class the field gets the index */
key_read_fn key_count, key_time, key_rate, key_size, key_share, key_flag, key_word, key_name,
	key_text, key_host, key_switch, key_class;

/** key_refuse() - an error at @node. */
void key_refuse(struct reader *reader, const struct yaml_node *node, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** key_is_list() - is @node a list of @min, 0 or 1, to @max elements? If not, an error says that
 *  @key must be one, of @what: "names, such as [s1, s2]". */
bool key_is_list(struct reader *reader, const struct key *key, const struct yaml_node *node,
		 uint32_t min, uint32_t max, const char *what);

/** key_list_new() - zeroed memory of @bytes for each element of the list @node; key_is_list() with
 *  @min 0.
 *  Return: NULL: @node is empty, or no such list, or memory is short. */
void *key_list_new(struct reader *reader, const struct key *key, const struct yaml_node *node,
		   uint32_t max, const char *what, size_t bytes);

/** key_scalar() - the text of @node if it is a single value that is not empty; else NULL, and an
 *  error with what was @expected ("a rate such as 200Gb/s"). */
const char *key_scalar(struct reader *reader, const struct yaml_node *node, const char *expected);

/** key_word_find() - the index of @text in @words; else -1, and an error at @node that names the
 *  words. key_word_index() - that of the text of @node; @expected as for key_scalar(). */
int key_word_find(struct reader *reader, const struct yaml_node *node, const char *text,
		  const char *const *words, size_t word_count);
int key_word_index(struct reader *reader, const struct yaml_node *node, const char *expected,
		   const char *const *words, size_t word_count);

/** key_name_valid() - true if @text is a name: 1 to 31 of A-Z a-z 0-9 _ . -, and no '-' first, as
 *  an option has. Pure. */
bool key_name_valid(const char *text);

/** key_host_name_valid() - and programs find a host by it: it is neither localhost nor what they
 *  take for an address, such as 1 or 10.0.0.9. Pure. */
bool key_host_name_valid(const char *text);

/** key_name_check() - the same; adds an error at @place if it is none. */
bool key_name_check(struct reader *reader, const struct scenario_place *place, const char *text);

/** key_host_index(), key_switch_index(), key_class_index() - the index of what @node names; else
 *  -1, and an error. */
int64_t key_host_index(struct reader *reader, const struct yaml_node *node);

int64_t key_switch_index(struct reader *reader, const struct yaml_node *node);

int64_t key_class_index(struct reader *reader, const struct yaml_node *node);

/** key_node_refuse() - an error at @node: there is no switch or host @text. */
void key_node_refuse(struct reader *reader, const struct yaml_node *node, const char *text);

/** key_path_beside() - the path of @name in the folder of the scenario's file.
 *  Return: malloc'd; NULL if memory is short. */
char *key_path_beside(const struct reader *reader, const char *name);

/** key_file_allowed() - may the file at @path, which @node names, be opened? False: an error that
 *  is the same whether the file exists or not. */
bool key_file_allowed(struct reader *reader, const struct yaml_node *node, const char *path);

/** key_name_hint() - suggest_sentence() over names that are arrays within structs.
 *  @first  the first name.   @stride  bytes from one to the next. */
const char *key_name_hint(const char *word, const char *first, size_t count, size_t stride,
			  char *out, size_t out_max);

#endif
