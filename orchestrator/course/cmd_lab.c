#include "orchestrator/course/cmd_lab.h"

#include "nodes/base/array.h"
#include "orchestrator/command/command.h"
#include "orchestrator/course/lab_check.h"
#include "orchestrator/course/lab_list.h"
#include "orchestrator/course/lab_predict.h"
#include "orchestrator/course/lab_report.h"
#include "orchestrator/course/lab_score.h"
#include "orchestrator/course/lab_start.h"

static const struct command commands[] = {
	{ "list", lab_list, "the labs, a line each" },
	{ "start", lab_start, "a lab: its question, your values, its runs" },
	{ "predict", lab_predict, "keep predictions" },
	{ "check", lab_check, "are the answers of a student right?" },
	{ "report", lab_report, "what is handed in, as one file" },
	{ "score", lab_score, "points of congestion controls in six scenarios" },
};

int cmd_lab(int argc, char **argv)
{
	return command_group_run("lab", commands, COUNT_OF(commands), argc, argv);
}
