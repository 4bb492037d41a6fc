/*  Congestion controls by name (RC-16). */
#include "nicd/transport/congestion_control.h"

#include "tests/testing.h"

TEST_GROUP(congestion_control);

/* the name of each is the word that a scenario has for it; `dcqcn: no` selects none, and DCQCN's
 * switch does not touch the others */
TEST_RANGE(congestion_control_of__name, 0, CONGESTION_KINDS)
{
	struct node_config config = { .roce = { .congestion = (enum congestion_kind)_i } };
	const struct congestion_control *control = congestion_control_of(&config);

	if (_i == CONGESTION_DCQCN || _i == CONGESTION_NONE)
		ck_assert_ptr_null(control);
	config.roce.dcqcn.enabled = true;
	if (_i != CONGESTION_DCQCN)
		ck_assert_ptr_eq(congestion_control_of(&config), control);
	control = congestion_control_of(&config);
	if (_i != CONGESTION_NONE)
		ck_assert_str_eq(control->name, congestion_words[_i]);
}
