#include "orchestrator/base/progress.h"

#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/base/screen.h"

#define PROGRESS_AFTER_NS 2000000000ull
#define PROGRESS_EVERY_NS 200000000ull

void progress_start(struct progress *progress, FILE *out, bool wanted)
{
	*progress = (struct progress){ .out = out,
				       .on = wanted && isatty(fileno(out)),
				       .start_ns = monotonic_ns() };
	progress->next_ns = progress->start_ns + PROGRESS_AFTER_NS;
}

void progress_update(struct progress *progress, node_time_t now, node_time_t end, uint64_t windows)
{
	uint64_t wall, elapsed_ns;
	double share;

	if (!progress->on)
		return;
	wall = monotonic_ns();
	if (wall < progress->next_ns)
		return;
	progress->next_ns = wall + PROGRESS_EVERY_NS;
	elapsed_ns = wall - progress->start_ns;
	/* while the fabric drains, now is later than the end */
	share = now < end ? (double)now / (double)end : 1;
	progress->shown = true;
	if (!windows) { /* the real clock has no windows */
		fprintf(progress->out, SCREEN_LINE_CLEAR "%.1f of %.1f s  %3.0f %%",
			(double)now / (double)NODE_S, (double)end / (double)NODE_S, share * 100);
		fflush(progress->out);
		return;
	}
	fprintf(progress->out,
		SCREEN_LINE_CLEAR
		"%.3f of %.3f us  %3.0f %%  %llu windows  %.1f us of fabric time a second",
		(double)now / (double)NODE_US, (double)end / (double)NODE_US, share * 100,
		(unsigned long long)windows,
		(double)now / (double)NODE_US / ((double)elapsed_ns / 1e9));
	fflush(progress->out);
}

void progress_waits(struct progress *progress, const char *what)
{
	if (!progress->on)
		return;
	progress->shown = true;
	fprintf(progress->out, SCREEN_LINE_CLEAR "%s", what);
	fflush(progress->out);
}

void progress_wipe(struct progress *progress)
{
	if (progress->shown)
		fprintf(progress->out, SCREEN_LINE_CLEAR);
	progress->shown = false;
	fflush(progress->out);
}
