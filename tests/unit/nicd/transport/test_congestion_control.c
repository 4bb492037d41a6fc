/*  nicd/transport/congestion_control: controls by name (RC-3, RC-16). */
#include "nicd/transport/congestion_control.h"

#include "tests/testing.h"

TEST_GROUP(congestion_control);

/* Each name is the word that a scenario uses. `dcqcn: no` selects no control, and does not affect
 * the others. */
TEST_RANGE(congestion_control_of__name_is_the_word_of_scenarios, 0, CONGESTION_KINDS)
{
	struct node_config config = { .roce = { .congestion = (enum congestion_kind)_i } };
	const struct congestion_control *control = congestion_control_of(&config);

	if (_i == CONGESTION_DCQCN || _i == CONGESTION_NONE)
		ck_assert_ptr_null(control);
	config.roce.dcqcn.enabled = true;
	if (_i != CONGESTION_DCQCN)
		ck_assert_ptr_eq(congestion_control_of(&config), control);
	control = congestion_control_of(&config);
	if (_i == CONGESTION_OWN) /* a library of the user's: own_control.h */
		ck_assert_ptr_null(control);
	else if (_i != CONGESTION_NONE)
		ck_assert_str_eq(control->name, congestion_words[_i]);
}
