/*  orchestrator/plan/roce_text: `heddle check` prints what was derived, for people and for programs
 *  (RC-5). */
#include "orchestrator/plan/roce_text.h"
#include "tests/unit/orchestrator/plan/plan_text.h"

#define CLASSES                                                                     \
	"name: t\nfabric: roce\nrun: {duration: 100us}\n"                           \
	"classes: [{name: tcp, lossless: no, ecn: no, queue: 2MB}, {name: rdma}]\n" \
	"topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, s2]]}\n"

static void printed(const char *yaml)
{
	printed_by(roce_print, yaml);
}

TEST_GROUP(roce_text, .teardown = tear_down);

TEST(roce_print__derived)
{
	printed(CLASSES "roce: {path-pause: yes, supplement: {period: 300us}}\n");
	says("buffers of 33.55 MB, PFC; an output counts as stuck after a pause of 10.00 ms\n");
	says("  class 0     tcp: lossy, dropped above 2.000 MB\n");
	says("  class 1     rdma: lossless, paused above 12.5% of the free buffer, resumed 8.428 "
	     "kB below; marked from "
	     "5.000 kB to "
	     "200.0 kB per 40.00 Gb/s, up to 1%; watched; CNPs\n");
	says("  supplement  a CNP for a flow without one for 300.0 us\n");
	says("  path pause  CNP failed and above 600.0 kB per 40.00 Gb/s: PFC for the watched "
	     "classes, until below "
	     "200.0 kB "
	     "per 40.00 Gb/s\n");
	/* 84028 bytes to the host, 80278 to the other switch: test_plan_roce.c adds them up */
	says("  s1          headroom 80.28 kB to 84.03 kB a port and class, 164.3 kB in all; 33.39 "
	     "MB to share\n");
}

TEST(roce_print__headroom_too_small)
{
	printed(CLASSES "roce: {pfc: {headroom: 80kB}}\n");
	says("  s1          headroom 80.00 kB a port and class, 160.0 kB in all; 33.39 MB to "
	     "share\n"
	     "              TOO LITTLE: after XOFF up to 84.03 kB may arrive; packets without free "
	     "buffer are dropped\n");
	tear_down();
	printed(CLASSES "roce: {pfc: {headroom: 84028}}\n");
	ck_assert_ptr_null(strstr(text, "TOO LITTLE"));
}

TEST(roce_print__everything_off)
{
	printed(CLASSES "roce: {pfc: no, dcqcn: no}\n");
	says("buffers of 33.55 MB, no PFC\n");
	says("  class 1     rdma: not lossless without PFC, dropped above 100% of the free buffer; "
	     "marked");
	says("  dcqcn       off\n  supplement  off\n  path pause  off\n");
	says("  s1          headroom 0 B a port and class, 0 B in all; 33.55 MB to share\n");
}

TEST(roce_print__no_control)
{
	printed(CLASSES "roce: {congestion-control: none}\n");
	says("  control     none\n  supplement  off\n");
}

TEST(roce_json__every_port)
{
	json_t *root, *port;

	plan_of(CLASSES);
	root = roce_json(&plan);
	ck_assert_ptr_nonnull(root);
	port = json_array_get(
		json_object_get(json_array_get(json_object_get(root, "switches"), 0), "ports"), 1);
	ck_assert_str_eq(json_string_value(json_object_get(port, "peer")), "s2");
	ck_assert_int_eq(json_integer_value(json_object_get(port, "headroom_bytes")), 80278);
	ck_assert_int_eq(json_array_size(json_object_get(root, "classes")), 2);
	ck_assert_int_eq(json_integer_value(json_object_get(root, "cnp_class")), 1);
	json_decref(root);
}

/* PFC acts before ECN. s1 has a shared buffer of 33.55 MB less its headroom. A single input is
 * paused at its xoff, or at alpha / (1 + alpha) of the shared buffer. */
TEST(roce_print__marking_late)
{
	printed(CLASSES "roce: {pfc: yes}\n");
	ck_assert_ptr_null(strstr(text, "hint"));
	tear_down();
	printed("name: t\nfabric: roce\nrun: {duration: 100us}\nlinks: {rate: 40Gb/s}\n"
		"classes: [{name: rdma, xoff: 100kB, ecn: {kmin: 50kB, kmax: 200kB}}]\n"
		"topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, s2]]}\n");
	says("  hint        PFC acts before the maximum of ECN: class rdma, s1 to A: an input is "
	     "paused at 100.0 kB, but a\n"
	     "              queue is marked from 50.00 kB (kmin) to 200.0 kB (kmax). Lower "
	     "ecn.kmin");
	tear_down();
	printed("name: t\nfabric: roce\nrun: {duration: 100us}\nlinks: {rate: 40Gb/s}\n"
		"classes: [{name: rdma, xoff: 40kB, ecn: {kmin: 50kB, kmax: 200kB}}]\n"
		"topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, s2]]}\n");
	says("PFC acts before ECN: class rdma");
	says("(kmax): one input alone is never marked. Lower");
}

/* The hint names one port, the first at which it holds: a slow link is marked from less on, so its
 * ports have none. Marking that ends, or begins, at the level of the pause is early enough. */
TEST(roce_print__marking_late_at_one_port)
{
	const char *hint;

	printed("name: t\nfabric: roce\nrun: {duration: 100us}\nlinks: {rate: 1Gb/s}\n"
		"classes: [{name: rdma, xoff: 100kB, ecn: {kmin: 5kB, kmax: 200kB,\n"
		"  per: 40Gb/s}}]\n"
		"topology: {switches: [s1, s2], hosts: {A: s1, B: {switch: s2, rate: 40Gb/s},\n"
		"  C: {switch: s2, rate: 40Gb/s}}, links: [[s1, s2]]}\n");
	hint = strstr(text, "hint");
	ck_assert_ptr_nonnull(hint);
	says("class rdma, s2 to B: an input is paused at 100.0 kB");
	ck_assert_ptr_null(strstr(hint + 1, "hint"));
	tear_down();
	printed("name: t\nfabric: roce\nrun: {duration: 100us}\nlinks: {rate: 40Gb/s}\n"
		"classes: [{name: rdma, xoff: 200kB, ecn: {kmin: 50kB, kmax: 200kB}}]\n"
		"topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, s2]]}\n");
	ck_assert_ptr_null(strstr(text, "hint"));
	tear_down();
	printed("name: t\nfabric: roce\nrun: {duration: 100us}\nlinks: {rate: 40Gb/s}\n"
		"classes: [{name: rdma, xoff: 50kB, ecn: {kmin: 50kB, kmax: 200kB}}]\n"
		"topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, s2]]}\n");
	says("PFC acts before the maximum of ECN: class rdma");
}
