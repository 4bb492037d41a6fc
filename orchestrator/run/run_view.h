/*  run_view - `heddle run --view`: the page of a run, while it runs and until Ctrl-C (SE-4).
 *
 *  The run is recorded, into a file without a name if --record gives none, and a server beside it
 *  (view/view_service.h) reads that file. */
#ifndef HEDDLE_ORCHESTRATOR_RUN_RUN_VIEW_H
#define HEDDLE_ORCHESTRATOR_RUN_RUN_VIEW_H

#include "orchestrator/run/run_options.h"
#include "orchestrator/view/view_service.h"

/* zeroed: there is none */
struct run_view {
	struct view_service service;
	int file;      /* descriptor of the file without a name */
	char path[32]; /* of it */
	bool wanted;
};

/** run_view_open() - if @options request a page: sets them to record. Before run_output_open().
 *  Return: 0 or an exit status, reported. run_view_end() in any case. */
int run_view_open(struct run_view *view, struct run_options *options);

/** run_view_start() - starts the server of what is recorded on @recording, and prints its address.
 *  Return: 0 or an exit status, reported. */
int run_view_start(struct run_view *view, const struct run_options *options, FILE *recording);

/** run_view_stay() - the run has ended with @status: keeps the page until Ctrl-C. Returns at once
 *  after an interrupted run. */
void run_view_stay(struct run_view *view, const struct run_options *options, int status);

/** run_view_end() - ends the server. */
void run_view_end(struct run_view *view);

#endif
