#!/usr/bin/env bash
# english - are comments, printed texts and pages written in the words of docs/glossary.md?
#
# usage: tests/english.sh             all files of the list 'clean', below
#        tests/english.sh FILE...     these files
#
# Checked are comments and string literals of .c, .h, .def, .proto and .js, comments of .yaml and
# .sh, and the prose of .md (no code block, nothing in `backticks`). Lines with such text have at
# most 100 columns; tables of .md, values and figures of .yaml, and code of .js may have more.
set -u
cd "$(dirname "$0")/.." || exit 1

clean='page README.md containers docs examples include topologies orchestrator nodes switchd nicd workerd rankd preload wireshark tests'

# files PATH...: the files there of which texts are checked
files() {
	find "$@" -type f -regextype posix-extended -regex '.*\.(c|h|def|proto|md|yaml|sh|js)' |
		grep -vE '^tests/(english\.sh|system/test_english\.sh|bad-scenarios/|fuzz/.*/)' | sort
}

# check FILE...: prints 'file:line: word: use ...' for each finding; status 1 if there is one
check() {
	perl -CSD - "$@" <<'PERL'
use strict;
use warnings FATAL => 'all';
use utf8;

# what is not written, and what to write; matched as whole words, in any case; files in which it
# may be written
my @rules = (
	[ qr/who|whom|whoever|whomever/i, 'which, it, the flow, the node (people only)' ],
	[ qr/nobody|somebody|everybody|anybody/i, 'none, no flow, another node (people only)' ],
	[ qr/(?<!this )(?<!either )(?<!same )(?<!one-)(?<!by )ways?/i, 'path, route, method' ],
	[ qr/(?<!waits )(?<!wait )(?<!waiting )(?<!waited )(?<!queued )(?<!left )(?<!host )(?<!hosts )(?<!networks )behind(?! (?:a|an|the|its|each|every|one|another)?\s?(?:[\w'-]+ )?(?:NICs?|ports?|routers?|switch|switches|interface)\b)/i, 'after, downstream of' ],
	[ qr/ma(?:de|kes?|king) up for/i, 'absorb, compensate' ],
	[ qr/le(?:ts?|tting) (?:\w+ )?go/i, 'resume, release' ],
	[ qr/(?:held|holds?|holding|kept|keeps?|keeping) (?:\w+ )?back/i, 'pause, limit, delay' ],
	[ qr/under way/i, 'in flight, running' ],
	[ qr/st(?:ands?|ood|anding) still/i, 'stall, stop' ],
	[ qr/circles?/i, 'cycle' ],
	[ qr/rooms?/i, 'free buffer, space, credit' ],
	[ qr/a word (?:about|of)/i, 'notification' ],
	[ qr/work(?:s|ed|ing)? out/i, 'compute, derive' ],
	[ qr/se(?:e|es|en) to it/i, 'ensure' ],
	[ qr/hears?|heard/i, 'receive, detect' ],
	[ qr/anew/i, 'again' ],
	[ qr/crowd|crowds|crowded/i, 'queue, congested, full' ],
	[ qr/neighbours?'? (?:says?|said|told)/i, 'the peer sent' ],
	[ qr/leads? on/i, 'is a next hop' ],
	[ qr/to and fro/i, 'back and forth, oscillate' ],
	[ qr/by itself|by themselves/i, 'alone, on its own, separately' ],
	[ qr/whence|thither|thereby|wherefrom/i, 'plain words' ],
	# a recording is played: on the page in a browser, with the buttons 'play, pause'
	[ qr/(?<!page )(?<!page\] )(?:\w+_)?play(?:s|ed|ing|ers?)?(?!, pause)/i, 'run, execute, happen',
	  qr{(?:^|/)(?:page|view|recording)/|docs/seeing\.md$} ],
);
my $any = join '|', map { $_->[0] } @rules;
$any = qr/\b(?:$any)\b/i;
$_->[0] = qr/\b($_->[0])\b/i for @rules;
my $columns = 100;
my $found = 0;

sub finding {
	my ($file, $line, $what) = @_;
	print "$file:$line: $what\n";
	$found = 1;
}

# width of a line with tabs of 8
sub width {
	my ($text) = @_;
	1 while $text =~ s/\t/' ' x (8 - length($`) % 8)/e;
	return length $text;
}

# texts of C, line by line: all but comments and string literals becomes blank
sub texts_of_c {
	my ($source) = @_;
	my $out = '';
	while ($source =~ m{\G(?:(/\*.*?\*/|//[^\n]*)|"((?:[^"\\\n]|\\.)*)"|'(?:[^'\\\n]|\\.)+'|(#\s*include[^\n]*)|(\n|[^\n"'/#]+|.))}gs) {
		my ($comment, $string, $include, $other) = ($1, $2, $3, $4);
		if (defined $comment) { $out .= $comment }
		elsif (defined $string) { $string =~ s/\\[nrt"]/ /g; $out .= " $string " }
		elsif (defined $other) { $out .= $other eq "\n" ? "\n" : '' }
	}
	return split /\n/, $out, -1;
}

# of shell and YAML: what follows a '#', and what YAML says about itself
sub texts_of_script {
	return map {
		s/`[^`]*`/ x /gr
	} map {
		/^\s*(?:about|name):\s*(.*)/ ? $1 : /(?:^|\s)#(.*)/ ? $1 : ''
	} split /\n/, $_[0], -1;
}

# of Markdown: no code block, no backticks, no addresses of links, no names of files, no 'not'
# column of the glossary
sub texts_of_markdown {
	my ($source, $file) = @_;
	my $code = 0;
	my @lines;
	for (split /\n/, $source, -1) {
		if (/^\s*```/) { $code = !$code; push @lines, undef; next }
		if ($code || /^ {4}/) { push @lines, undef; next }
		my $text = $_;
		$text =~ s/``.*?``|`[^`]*`/ x /g;
		$text =~ s/\]\([^)]*\)/]/g;
		$text =~ s{\b(?:nodes|switchd|nicd|orchestrator|topologies|unit|sim|system|fuzz)/[\w./*-]+}{ x }g;
		$text =~ s/\|[^|]*\|$/|/ if $file =~ m{docs/glossary\.md$};
		push @lines, $text;
	}
	return @lines;
}

for my $file (@ARGV) {
	open my $in, '<', $file or do { finding($file, 0, "cannot be read: $!"); next };
	local $/;
	my $source = <$in>;
	my @raw = split /\n/, $source, -1;
	my @texts = $file =~ /\.md$/ ? texts_of_markdown($source, $file)
		: $file =~ /\.(?:yaml|sh)$/ ? texts_of_script($source) : texts_of_c($source);
	for my $i (0 .. $#texts) {
		next unless defined $texts[$i] && $texts[$i] =~ /\S/;
		for my $rule ($texts[$i] =~ $any ? @rules : ()) {
			my ($pattern, $instead, $but) = @$rule;
			next if $but && $file =~ $but;
			finding($file, $i + 1, "'$1': write $instead") while $texts[$i] =~ /$pattern/g;
		}
		next if $file =~ /\.md$/ && $raw[$i] =~ /^\|/;
		next if $file =~ /\.js$/ && $raw[$i] !~ m{^\s*(?://|/\*|\*)};
		next if $file =~ /\.yaml$/ && $raw[$i] !~ /^\s*# \S/;
		my $width = width($raw[$i]);
		finding($file, $i + 1, "$width columns: at most $columns") if $width > $columns;
	}
}
exit $found;
PERL
}

case ${1-} in
'')
	# shellcheck disable=SC2046,SC2086
	check $(files $clean) || {
		echo 'english: these words are not used here; docs/glossary.md has those that are'
		exit 1
	}
	echo 'english: the words of docs/glossary.md'
	;;
*)
	check "$@"
	;;
esac
