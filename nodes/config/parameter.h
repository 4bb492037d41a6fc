/*  parameter - tables of the parameters of a configuration: one row for each.
 *
 *  The rows of a structure are in a file of its own, such as dcqcn.def. The structure, its table,
 *  its defaults and checks, the control message, the keys of a scenario and the tables of
 *  docs/scenario.md follow from them. So a new parameter is one row. Of a structure that only the
 *  orchestrator has, the file is in orchestrator/scenario/. A .def file has
 *
 *    PARAMETER(type, field, unit, key, min, max, initial, help, ...)
 *      type     of the field, as in C; parameter_unit says which size it must have
 *      unit     without PARAMETER_UNIT_
 *      key      in the section of the structure; "a.b": key b of the mapping a. NULL: none
 *      min, max in the unit of the field
 *      initial  the default; PARAMETER_DERIVED: it follows from the fabric
 *      help     one sentence for docs/scenario.md, which is in Markdown
 *      ...      further members of struct parameter, such as .words
 *    PARAMETERS(type, field, key, table, help)
 *      a structure in the structure, with a table of its own: a mapping of keys
 *    PARAMETER_ARRAY(type, field, count, table)
 *      an array of structures; their keys are in another section
 *    KEY(key, range, initial, help, ...)
 *      a key that is no field: a mapping of keys, or one that its section reads with code of its
 *      own
 *
 *  The file that includes it defines those of them that occur in it. */
#ifndef HEDDLE_NODES_CONFIG_PARAMETER_H
#define HEDDLE_NODES_CONFIG_PARAMETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nodes/base/array.h"
#include "nodes/base/why.h"

#define PARAMETER_DERIVED UINT64_MAX
#define PARAMETER_NAME_MAX 64u /* "roce.classes[7].kmin_bytes", with the terminating 0 */

/* what a field counts; a scenario has it with the unit that is usual for it */
enum parameter_unit {
	PARAMETER_UNIT_COUNT,    /* 4 or 8 bytes */
	PARAMETER_UNIT_TIME,     /* ps, 8 bytes */
	PARAMETER_UNIT_RATE,     /* bit/s, 8 bytes */
	PARAMETER_UNIT_SIZE,     /* bytes, 4 or 8 bytes */
	PARAMETER_UNIT_UNITS,    /* of 256 bytes, 4 bytes; a scenario has bytes, rounded up */
	PARAMETER_UNIT_PERMILLE, /* shares in 10^-3, 10^-6 and 10^-9, 4 bytes */
	PARAMETER_UNIT_PPM,
	PARAMETER_UNIT_PPB,
	PARAMETER_UNIT_E15,  /* a share in 10^-15, 8 bytes */
	PARAMETER_UNIT_FLAG, /* bool */
	PARAMETER_UNIT_WORD, /* an enumeration or a bool: min + index in `words` */
	/* without a value */
	PARAMETER_UNIT_TABLE, /* PARAMETERS(), PARAMETER_ARRAY() */
	PARAMETER_UNIT_KEY,   /* KEY() */
	PARAMETER_UNIT_COUNT_OF
};

struct parameter_table;

struct parameter {
	const char *field, *key;
	enum parameter_unit unit;
	size_t offset, bytes;
	uint64_t min, max, initial;
	const char *help;
	const char *const *words; /* PARAMETER_UNIT_WORD: max - min + 1 of them */
	/* 0 is allowed although min is more: a scenario writes this word for it; "": cannot be
	 * written; "0": a number that is 0 */
	const char *zero;
	/* docs/scenario.md: in the place of what follows from min and max, and from initial */
	const char *range_text, *initial_text;
	bool required; /* a scenario that has the mapping has the key */
	/* `heddle set` can change it while the node runs; `clears`, if not 0, is the offset of a
	 * uint64_t of the same structure that becomes 0 then */
	bool live;
	/* of a link: it is about what arrives at a port, all else about what is sent */
	bool inbound;
	size_t clears;
	const struct parameter_table *table; /* PARAMETER_UNIT_TABLE: of the structures */
	uint32_t count;                      /* 0: one, no array */
};

struct parameter_table {
	const struct parameter *rows;
	size_t count;
	size_t bytes; /* of the structure */
};

/* ---- a table from the rows of a .def file ---- */

#define PARAMETER_SIZE_COUNT(bytes) ((bytes) == 4 || (bytes) == 8)
#define PARAMETER_SIZE_TIME(bytes) ((bytes) == 8)
#define PARAMETER_SIZE_RATE(bytes) ((bytes) == 8)
#define PARAMETER_SIZE_SIZE(bytes) ((bytes) == 4 || (bytes) == 8)
#define PARAMETER_SIZE_UNITS(bytes) ((bytes) == 4)
#define PARAMETER_SIZE_PERMILLE(bytes) ((bytes) == 4)
#define PARAMETER_SIZE_PPM(bytes) ((bytes) == 4)
#define PARAMETER_SIZE_PPB(bytes) ((bytes) == 4)
#define PARAMETER_SIZE_E15(bytes) ((bytes) == 8)
#define PARAMETER_SIZE_FLAG(bytes) ((bytes) == sizeof(bool))
#define PARAMETER_SIZE_WORD(bytes) ((bytes) == sizeof(bool) || (bytes) == 4)

/* sizeof(@type), if a field of it holds @unit up to @max */
#define PARAMETER_BYTES(type, unit, max)                                                \
	(sizeof(struct {                                                                \
		_Static_assert(PARAMETER_SIZE_##unit(sizeof(type)), "size of a field"); \
		_Static_assert((max) <= (type)-1, "range of a field");                  \
		type value;                                                             \
	}))

#define PARAMETER_ROW(structure, type, name, unit_, key_, min_, max_, initial_, help_, ...)       \
	{                                                                                         \
		.field = #name, .key = key_, .unit = PARAMETER_UNIT_##unit_,                      \
		.offset = offsetof(structure, name), .bytes = PARAMETER_BYTES(type, unit_, max_), \
		.min = min_, .max = max_, .initial = initial_, .help = help_, ##__VA_ARGS__       \
	}
#define PARAMETERS_ROW(structure, name, key_, table_, help_)                        \
	{                                                                           \
		.field = #name, .key = key_, .unit = PARAMETER_UNIT_TABLE,          \
		.offset = offsetof(structure, name), .table = table_, .help = help_ \
	}
#define PARAMETER_ARRAY_ROW(structure, name, count_, table_)                                       \
	{                                                                                          \
		.field = #name, .unit = PARAMETER_UNIT_TABLE, .offset = offsetof(structure, name), \
		.table = table_, .count = count_                                                   \
	}
#define KEY_ROW(key_, range_, initial_, help_, ...)                            \
	{                                                                      \
		.key = key_, .unit = PARAMETER_UNIT_KEY, .range_text = range_, \
		.initial_text = initial_, .help = help_, ##__VA_ARGS__         \
	}
#define PARAMETER_TABLE_OF(structure, array)              \
	{                                                 \
		array, COUNT_OF(array), sizeof(structure) \
	}

/** parameter_get(), parameter_put() - the field of @row in @structure. */
uint64_t parameter_get(const struct parameter *row, const void *structure);
void parameter_put(const struct parameter *row, void *structure, uint64_t value);

/** parameter_is_switch() - a row with a key and without help turns the mapping on that it is the
 *  first of. Pure. */
static inline bool parameter_is_switch(const struct parameter *row)
{
	return row->bytes && row->key && !row->help;
}

/** parameter_fits() - is @value in the range of @row? Pure. */
bool parameter_fits(const struct parameter *row, uint64_t value);

/** parameters_default() - every field of @structure to its default, also in the structures in it;
 *  those that are derived to 0. */
void parameters_default(const struct parameter_table *table, void *structure);

/** parameters_take() - each field of @from to @to, unless its default is derived and it is 0 in
 *  @given, a structure with 1 in the fields that were given. Structures in it are left out. */
void parameters_take(const struct parameter_table *table, void *to, const void *from,
		     const void *given);

/** parameters_equal() - is each field of @a equal to that of @b? Structures in them are left out.
 *  Pure. */
bool parameters_equal(const struct parameter_table *table, const void *a, const void *b);

/** parameter_fn - @row, called @name, has its field in @structure.
 *  Return: false ends parameters_each(). */
typedef bool parameter_fn(void *context, const char *name, const struct parameter *row,
			  void *structure);

/** parameters_each() - calls @fn for every field of @structure and of the structures in it, in the
 *  order of the rows. The name is @place and the field: "roce." gives "roce.dcqcn.g_ppb",
 *  "roce.classes[1].ecn". Without @place (NULL) there are no names: NULL.
 *  Return: false if @fn ended it. */
bool parameters_each(const struct parameter_table *table, const char *place, void *structure,
		     parameter_fn *fn, void *context);

/* a parameter that can change while a node runs */
struct parameter_live {
	const struct parameter *row;
	/* as `set` calls it: the key, after those of the mappings that it is in;
	 * "congestion.inputs" for inputs.enabled. Of a row without a key the field */
	char name[PARAMETER_NAME_MAX];
	size_t offset; /* of its structure in the outermost one */
	size_t stride; /* in an array: bytes to the structure of the next element. 0: in none */
};

/* Return: false ends parameters_live(). */
typedef bool parameter_live_fn(void *context, const struct parameter_live *live);

/** parameters_live() - calls @fn for each row with .live, also of the structures in the structure.
 *  Return: false if @fn ended it. */
bool parameters_live(const struct parameter_table *table, parameter_live_fn *fn, void *context);

/** parameters_check() - is each field of @structure in its range?
 *  Return: 0, or -EINVAL with a sentence in @why; @place is in front of the field's name there. */
int parameters_check(const struct parameter_table *table, const char *place, const void *structure,
		     struct why *why);

#endif
