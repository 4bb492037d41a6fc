#include "orchestrator/base/yaml_writer.h"

#include <string.h>

void yaml_text_write(const char *text, FILE *out)
{
	const char *plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-%";

	if (text[0] && text[0] != '-' && text[0] != '%' && text[strspn(text, plain)] == 0) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '\n')
			fputs("\\n", out);
		else if (*text == '\r')
			fputs("\\r", out);
		else if (*text == '\t')
			fputs("\\t", out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if ((unsigned char)*text < ' ' || *text == 0x7f)
			fprintf(out, "\\x%02x", (unsigned)*text);
		else
			fputc(*text, out);
	}
	fputc('"', out);
}

/* Recursion ends: a document has YAML_DEPTH_MAX levels, and settings add a few. */
void yaml_flow_write(const struct yaml_node *node, FILE *out)
{
	bool mapping = node->kind == YAML_MAPPING;

	if (node->kind == YAML_SCALAR) {
		yaml_text_write(node->text, out);
		return;
	}
	fputc(mapping ? '{' : '[', out);
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		if (mapping) {
			yaml_text_write(child->key, out);
			fputs(": ", out);
		}
		yaml_flow_write(child, out);
		fputs(child->next ? ", " : "", out);
	}
	fputc(mapping ? '}' : ']', out);
}

void yaml_section_write(const struct yaml_node *node, FILE *out)
{
	yaml_text_write(node->key, out);
	fputc(':', out);
	if (!node->first) {
		fputc(' ', out);
		yaml_flow_write(node, out);
		fputc('\n', out);
		return;
	}
	fputc('\n', out);
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		fputs("  ", out);
		if (node->kind == YAML_MAPPING)
			yaml_text_write(child->key, out);
		fputs(node->kind == YAML_MAPPING ? ": " : "- ", out);
		yaml_flow_write(child, out);
		fputc('\n', out);
	}
}
