/*  orchestrator/cli/cmd_export: what is said of a recording, and files of a run that has failed:
 *  what there is, is written (SE-3). */
#include "orchestrator/cli/cmd_export.h"

#include <glob.h>

#include "orchestrator/recording/recording_write.h"
#include "tests/unit/orchestrator/operate/one_daemon.h"

#define HEAD                                                                                       \
	"{\"format\":1,\"version\":\"0.1\\u001b[2J\",\"clock\":\"virtual\",\"kind\":\"roce\","     \
	"\"lanes\":1,\"classes\":[\"a\"],\"series\":[],\"events\":[{\"id\":0,\"name\":\"mark\","   \
	"\"detail\":\"\",\"value\":\"bytes\",\"has_class\":true,\"what\":\"\",\"words\":null}],"   \
	"\"scenario\":{\"name\":\"t\\nx\\u007f\",\"seed\":7,\"variant\":%s},\"nodes\":[{\"name\":" \
	"\"s\",\"type\":\"switch\",\"ports\":[{\"peer\":1}]},{\"name\":\"h\",\"type\":\"host\","   \
	"\"ports\":[{\"peer\":0}]}]}"

static void setup(void)
{
	daemon_setup();
	ck_assert_int_eq(chdir(root), 0);
}

static void teardown(void)
{
	unlink("r");
	daemon_teardown();
}

TEST_GROUP(cmd_export, .setup = setup, .teardown = teardown);

/* the file `r`: two samples, an event, and the end of a run */
static void recorded(const char *variant, enum recording_status status, const char *failure)
{
	struct recording recording;
	FILE *out = fopen("r", "we");
	char text[1024];
	json_t *head;

	snprintf(text, sizeof(text), HEAD, variant);
	head = json_loads(text, 0, NULL);
	ck_assert_ptr_nonnull(head);
	recording_begin(&recording, head, out);
	recording_sample(&recording, 1000);
	recording_event(&recording, &(struct event){ .at_ps = 1500, .value = 33, .source = 2 });
	recording_sample(&recording, 2000);
	recording_slice(&recording, 3000);
	ck_assert_int_eq(recording_end(&recording, status, failure, 3000000), 0);
	json_decref(head);
	fclose(out);
}

static void runs(const char *line, int status, const char *printed_text, const char *said_text)
{
	int found = command_run(cmd_export, line);

	ck_assert_str_eq(said, said_text);
	ck_assert_str_eq(printed, printed_text);
	ck_assert_int_eq(found, status);
}

/* control characters of a recording do not reach a terminal */
TEST(cmd_export__describes)
{
	recorded("\"wide\\u0007\"", RECORDING_FAILED, "it\tbroke");
	runs("export|r", 0,
	     "scenario   t x  (seed 7)\nvariant    wide \nrecorded   by Heddle 0.1 [2J, clock "
	     "virtual, fabric roce\nnodes      1 switches, 1 hosts\ntime       up to 3.000 us\n"
	     "samples    2, events 1, in 1 slices\nrun        failed: it broke\n",
	     "");
	recorded("null", RECORDING_INTERRUPTED, NULL);
	runs("export|r", 0,
	     "scenario   t x  (seed 7)\nrecorded   by Heddle 0.1 [2J, clock virtual, fabric roce\n"
	     "nodes      1 switches, 1 hosts\ntime       up to 3.000 us\n"
	     "samples    2, events 1, in 1 slices\nrun        interrupted\n",
	     "");
}

#define EVENTS                                                               \
	"at_ps,node,port,peer,event,class,source,destination,detail,value\n" \
	"1500,s,0,h,mark,a,h,,,33\n"

TEST(cmd_export__run_without_a_result)
{
	recorded("null", RECORDING_FAILED, "it broke");
	runs("export|r|--events|-", 0, EVENTS, "");
	runs("export|r|--json|j|--events|e.jsonl", 2, "",
	     "heddle export: r has no result; state of its run: failed: it broke\n");
	ck_assert_int_ne(access("j", F_OK), 0);
	ck_assert_int_eq(unlink("e.jsonl"), 0); /* there it is */
	runs("export|r|--text", 2, "",
	     "heddle export: r has no result; state of its run: failed: it broke\n");
	runs("export|r|--csv|c", 2, "",
	     "heddle export: r has no result; state of its run: failed: it broke\n");
	ck_assert_int_eq(rmdir("c"), 0);
	recorded("null", RECORDING_INTERRUPTED, NULL);
	runs("export|r|--json|j", 2, "",
	     "heddle export: r has no result; state of its run: interrupted\n");
	runs("export|r|--events|-", 0, EVENTS "# interrupted=true end_ps=3000000\n", "");
}

/* nothing is left of what was begun */
TEST(cmd_export__recording_that_is_wrong)
{
	glob_t left;
	FILE *r;

	recorded("null", RECORDING_COMPLETE, NULL);
	r = fopen("r", "r+e");
	fseek(r, -40, SEEK_END);
	fputc(0xff, r);
	fclose(r);
	ck_assert_int_eq(command_run(cmd_export, "export|r|--events|e.jsonl|--json|j"), 2);
	ck_assert_ptr_nonnull(strstr(said, "heddle export: r: byte "));
	ck_assert_int_eq(glob("[ej]*", 0, NULL, &left), GLOB_NOMATCH);
}

TEST(cmd_export__standard_output_once)
{
	static const char *const lines[] = { "export|r|--json|-|--events|-",
					     "export|r|--json|-|--text",
					     "export|r|--events|-|--text" };

	recorded("null", RECORDING_COMPLETE, NULL);
	for (unsigned i = 0; i < 3; i++)
		runs(lines[i], 2, "",
		     "heddle export: only one of --json -, --events - and --text can have standard "
		     "output\n");
	runs("export|r|--events|r", 2, "",
	     "heddle export: r is read by this command: name another file for --events\n");
}
