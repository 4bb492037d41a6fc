#include "orchestrator/base/screen.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_USUAL 80u
#define LINES_USUAL 24u

/* The locale of the environment alone: that of the process stays "C", since numbers are printed for
 * programs, too. */
static bool is_utf8(void)
{
	locale_t environment = newlocale(LC_CTYPE_MASK, "", NULL);
	bool utf8;

	if (!environment)
		return false;
	utf8 = !strcmp(nl_langinfo_l(CODESET, environment), "UTF-8");
	freelocale(environment);
	return utf8;
}

struct screen screen_look(FILE *out)
{
	const char *kind = getenv("TERM"), *plain = getenv("NO_COLOR");
	struct winsize size = { 0 };
	struct screen screen = { 0 };

	if (!isatty(fileno(out)) || !kind || !strcmp(kind, "dumb"))
		return screen;
	ioctl(fileno(out), TIOCGWINSZ, &size);
	screen.terminal = true;
	screen.colours = !plain || !plain[0];
	screen.utf8 = is_utf8();
	screen.columns = size.ws_col ? size.ws_col : COLUMNS_USUAL;
	screen.lines = size.ws_row ? size.ws_row : LINES_USUAL;
	return screen;
}
