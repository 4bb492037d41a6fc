/*  nicd/workload/workload_connection: messages use the connections to a destination in turn
 *  (TB-12). */
#include "nicd/workload/workload_connection.h"
#include "tests/testing.h"

#include <stdlib.h>

static struct workload_connections connections;

static void init(enum arrival_kind arrival, uint32_t count, uint32_t window)
{
	struct workload_config config = {
		.arrival = arrival, .connections = count, .window = window, .destination_count = 3
	};

	ck_assert_int_eq(workload_connections_init(&connections, &config), 0);
}

/* each destination has its own turns */
TEST(workload_connection__used_in_turn)
{
	init(ARRIVAL_POISSON, 2, 0);
	ck_assert_uint_eq(workload_connection_take(&connections, 0), 0);
	ck_assert_uint_eq(workload_connection_take(&connections, 2), 0);
	ck_assert_uint_eq(workload_connection_take(&connections, 0), 1);
	ck_assert_uint_eq(workload_connection_take(&connections, 0), 0);
	ck_assert_uint_eq(workload_connection_take(&connections, 2), 1);
	workload_connection_give(&connections, 1);
	workload_connections_fini(&connections);
}

/* a closed loop fills all windows, in turn; a completed message frees a place on its own connection
 * only */
TEST(workload_connection__closed_loop_fills_each_window)
{
	init(ARRIVAL_CLOSED, 3, 2);
	for (uint32_t i = 0; i < 6; i++)
		ck_assert_uint_eq(workload_connection_take(&connections, 0), i % 3);
	workload_connection_give(&connections, 2);
	ck_assert_uint_eq(workload_connection_take(&connections, 0), 2);
	workload_connection_give(&connections, 1);
	workload_connection_give(&connections, 1);
	workload_connection_give(&connections, 0);
	ck_assert_uint_eq(workload_connection_take(&connections, 0), 1);
	ck_assert_uint_eq(workload_connection_take(&connections, 0), 0);
	ck_assert_uint_eq(workload_connection_take(&connections, 0), 1);
	workload_connections_fini(&connections);
}

TEST(workload_connection__closed_loop_of_one)
{
	init(ARRIVAL_CLOSED, 1, 1);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(workload_connection_take(&connections, 0), 0);
		workload_connection_give(&connections, 0);
	}
	workload_connections_fini(&connections);
}
