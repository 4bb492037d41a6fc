# Heddle: build, demo, tests. `make help` lists the targets.
#
# Everything is built into build/<kind>/: release (what is run), asan (make check; clang), tsan, fuzz (clang), reach (make mutants, make unreached).
# The archives per folder are also the layers: a program links its own folder and nodes/, a unit test only the objects
# that it needs.

MAKEFLAGS += --no-builtin-rules -j$(shell nproc)
SHELL := /bin/bash

KIND ?= release
B := build/$(KIND)
GEN := build/gen
FUZZ_CC := clang
# The second compiler: what it warns of is an error too. Without it, or its sanitizers, gcc takes its place.
CC_asan := $(if $(filter asan,$(KIND)),$(shell echo 'int main(void){}' | clang -fsanitize=address,undefined -o /dev/null -x c - 2>/dev/null && echo clang))
CC := $(or $(CC_$(KIND)),gcc)

WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith -Wundef
# -g1: traces of calls have lines, no variables; with all of them a build takes a fifth more time. KIND=plain has them.
CFLAGS_release := -O2 -g1 -fno-plt
# -no-pie: each process of a test starts without relocating its globals, of which the sanitizers make many
CFLAGS_asan := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -fno-pie
# lld or gold, if one is here: they link a hundred programs in half the time that ld takes
LINK_asan := -no-pie $(addprefix -fuse-ld=,$(firstword $(foreach l,lld gold,$(if $(shell command -v ld.$l),$l))))
CFLAGS_tsan := -O1 -g1 -fsanitize=thread -Wno-tsan # pace.c has fences, which it cannot follow; no tsan test uses it
CFLAGS_fuzz := -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
CFLAGS_plain := -O2 -g
# notes which places run (tests/reach.c)
CFLAGS_reach := -O1 -g1 -Wno-error -fsanitize-coverage=trace-pc
CFLAGS := -std=gnu17 $(WARN) -D_GNU_SOURCE -I. -Iinclude -I$(GEN) -isystem /usr/include/libnl3 $(CFLAGS_$(KIND))
GEN_CFLAGS := $(filter-out $(WARN),$(CFLAGS))
# gcc on x86 copies and clears up to some hundred bytes with `rep movsq` and `rep stosq`, which start slowly
NO_REP := $(foreach f,memcpy memset,-m$f-strategy=unrolled_loop:512:noalign,libcall:-1:noalign)
NO_REP := $(shell $(CC) $(NO_REP) -E -x c /dev/null >/dev/null 2>&1 && echo $(NO_REP))
LTO_release := -flto=auto -O3 $(NO_REP)
# gcc knows from a profile how often each branch of it is taken
PROFILE := $(shell $(CC) -dumpbase-ext .c -E -x c /dev/null >/dev/null 2>&1 && echo build/profile)
TRAINING := leaf-spine-uniform full-injection small-packets dragonfly-adaptive leaf-spine-adaptive incast-victims web-search \
	    path-pause dcqcn-incast pfc-victim port-group-permutation port-group-incast
LDFLAGS := $(CFLAGS_$(KIND)) $(LTO_$(KIND)) -Wl,--as-needed $(LINK_$(KIND)) # LINK_release: of packagers
# where packets pass is optimised across files, and most: 8 % less CPU a hop than with -O2
$(B)/obj/nodes/%.o $(B)/obj/switchd/%.o $(B)/obj/nicd/%.o $(B)/obj/workerd/%.o: private CFLAGS += $(LTO_$(KIND))
# tests and the orchestrator run little code often: optimising it takes longer than it saves
$(foreach k,asan reach,$(foreach f,orchestrator tests/unit tests/fuzz tests/sim/test_,build/$(k)/obj/$(f)%.o)): private CFLAGS += -O0
# ... but that of routes, which is long in loops
$(foreach k,asan reach,build/$(k)/obj/orchestrator/routing/%.o): private CFLAGS += -O1
build/asan/obj/tests/unit/%.o: private CFLAGS += -fno-sanitize=undefined
AR := gcc-ar
NODE_LIBS := -luring -lprotobuf-c -ldeflate
CHECK_LIBS := -lcheck -lsubunit -lrt -lm -pthread
HEDDLE_LIBS := $(NODE_LIBS) -lmetis -lfyaml -ljansson -lz -lnettle -lnl-route-3 -lnl-3 -lcivetweb -ledit -lm

PACKAGES := gcc make pkg-config protobuf-c-compiler libprotobuf-c-dev liburing-dev libfyaml-dev libjansson-dev \
	    libdeflate-dev zlib1g-dev libxxhash-dev nettle-dev libnl-3-dev libnl-route-3-dev libcivetweb-dev libedit-dev libmetis-dev check libsubunit-dev
# for rankd: several machines
MPI_PACKAGES := libopenmpi-dev
TEST_PACKAGES := tshark tcpdump jq busybox-static python3 python3-jsonschema python3-yaml libxml2-utils python3-pytest mypy mandoc bash-completion uidmap iproute2 iputils-ping iperf3 curl slirp4netns strace openmpi-bin podman runc mmdebstrap \
		 chromium-headless-shell
BENCH_PACKAGES := python3 iproute2 iputils-ping iperf3 ethtool openvswitch-switch mininet
DEB_PACKAGES := debhelper dpkg-dev lintian mmdebstrap
SYSTEMS_PACKAGES := mmdebstrap
CLANG_PACKAGES := clang clang-format clang-tidy libclang-rt-dev

# rankd is built where MPI is installed; MPI= builds without
MPI := $(shell pkg-config --exists ompi-c 2>/dev/null && echo ompi-c)
MPI_CFLAGS := $(if $(MPI),$(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(MPI))))
MPI_LIBS := $(if $(MPI),$(shell pkg-config --libs $(MPI)))

# a test with the thread sanitizer is of shared memory
node_src := $(wildcard $(if $(filter tsan,$(KIND)),nodes/base/*.c nodes/clock/*.c,nodes/*/*.c))
switchd_src := $(wildcard switchd/*/*.c)
nicd_src := $(wildcard nicd/*/*.c)
# only the program itself needs MPI
rankd_src := $(filter-out rankd/link/transport.c,$(wildcard rankd/*/*.c))
# no fuzzer has a command line
orchestrator_src := $(filter-out $(if $(filter fuzz,$(KIND)),$(foreach d,run course operate cli,orchestrator/$(d)/cmd_%) orchestrator/run/run_%),$(wildcard orchestrator/*/*.c))
sim_src := $(filter-out tests/sim/test_%.c tests/sim/sim_%.c,$(wildcard tests/sim/*.c))

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
lib_nodes := $(B)/libnodes.a
lib_switchd := $(B)/libswitchd.a
lib_nicd := $(B)/libnicd.a
lib_rankd := $(B)/librankd.a
lib_orchestrator := $(B)/liborchestrator.a
lib_sim := $(B)/libsim.a
lib_testing := $(B)/libtesting.a
# switch and NIC for the programs of tests: in a release they are optimised across files once, not for each program
both_nodes := $(if $(filter release,$(KIND)),$(B)/both_nodes.o,$(lib_switchd) $(lib_nicd) $(lib_nodes))
# what a unit test may link: with the thread sanitizer those of shared memory only
unit_libs := $(if $(filter tsan,$(KIND)),$(lib_nodes),$(lib_switchd) $(lib_nicd) $(lib_rankd) $(lib_orchestrator) $(lib_nodes))

# tests/unit/PROGRAM/FOLDER/test_X.c becomes unit/test_X, and a part of suite/PROGRAM.FOLDER: `make check` runs those,
# since to link and start a program costs more than most tests
unit_src := $(wildcard tests/unit/*/*/test_*.c)
unit_tests := $(addprefix $(B)/unit/,$(basename $(notdir $(unit_src))))
unit_alone := test_allocation test_allocation_live test_allocation_plans test_allocation_results test_refused test_turn # linked in a way of their own
unit_suites := $(addprefix $(B)/suite/,$(sort $(subst /,.,$(patsubst tests/unit/%/,%,$(dir $(unit_src)))))) \
	       $(addprefix $(B)/unit/,$(unit_alone))
# many fabrics, or large ones: with sanitizers in make soak only
large_sims := test_faults test_path_order test_permutation test_port_group test_redirect test_source_victim test_swarm_paths
sim_tests := $(addprefix $(B)/sim/,$(filter-out $(large_sims),$(patsubst tests/sim/%.c,%,$(wildcard tests/sim/test_*.c))))
large_tests := $(addprefix build/release/sim/,$(large_sims))
helpers := $(patsubst tests/system/%.c,$(B)/system/%,$(wildcard tests/system/*.c))
benches := $(patsubst tests/bench/%.c,$(B)/bench/%,$(wildcard tests/bench/bench_*.c))
fuzzers := $(patsubst tests/fuzz/%.c,build/fuzz/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
# the same ones without libFuzzer: a test of their corpus and of some changed inputs
replays := $(patsubst tests/fuzz/%.c,$(B)/replay/%,$(wildcard tests/fuzz/fuzz_*.c))

.PHONY: all help deps demo victim dilation pictures labs test check system soak fuzz bench bench-check bench-keep bench-busy bench-hosts figures layers modules tables mutants unreached reachable same-as tidy format install uninstall deb deb-test systems clean sanitized tsan unit unit-sim suite-sim mains fuzzers formatted

# These build by a make of their own. Two such makes at once would write the same archives, so the
# goals of one command are made one after the other; each make is parallel within itself.
recursive := all demo pictures labs test sanitized check system soak fuzz bench bench-check bench-keep bench-busy bench-hosts tsan mutants unreached reachable install systems
ifneq ($(filter $(recursive),$(or $(MAKECMDGOALS),all)),)
.NOTPARALLEL:
endif

all: deps
	@$(MAKE) --no-print-directory programs
	@ln -sf $(B)/heddle heddle

help:
	@printf '%s\n' \
	'make           build ./heddle, switchd, nicd, workerd, the library of dilated time and, where MPI is installed, rankd' \
	'make demo      build, then run S3 figure 5: by input port, then by flow channel' \
	'make victim    build, then real requests and real TCP beside an incast and a link failure, on RoCE with PFC and on flow channels: one table' \
	'make dilation  build, then iperf3 and ping on links of 200 Gb/s in dilated time, beside generated traffic' \
	'make test      build, then all tests' \
	'make check     unit and simulation tests, with the address and undefined-behaviour sanitizers; large fabrics are left to make test' \
	'make tsan      the tests of shared memory, with the thread sanitizer' \
	'make soak      long runs: 200 killed nodes, 300 times stopped ones, 300 times up, trouble and down, an hour of programs on 64 hosts, 11 664 hosts, 10 000 random scenarios of each kind, incasts of 1013' \
	'make fuzz      every fuzzer for FUZZ_SECONDS (600)' \
	'make bench     measure, and compare: simulation with ns-3, attached hosts with Open vSwitch and others' \
	'make bench-busy    the virtual clock and the real one beside busy programs, only' \
	'make bench-hosts   the attached hosts only' \
	'make bench-check   ratios of speed against those that the repository keeps for this kind of machine; fails below 85 % of one' \
	'make bench-keep    measure these ratios, and keep them' \
	'make labs      the answers to every lab, of 20 students each' \
	'make figures   compute the tables of docs/ again, into build/figures/ (FIGURES="TABLE ...": only these)' \
	'make pictures  draw docs/pictures/ again, with the page in Chromium' \
	'make tables    the tables of keys in docs/scenario.md, from the rows of .def files' \
	'make modules   FOLDERS=nicd ...: what each module is, the first sentence of its header' \
	'make layers    do includes point one way, and are pages in plain words?' \
	'make mutants   N=20 wrong statements in production code, one at a time: does a test see each? (SEED=, FILES=, SYSTEM=0)' \
	'make unreached lines of production code that no test enters (FILES=)' \
	'make same-as COMMIT=...    do all scenarios give the same bytes as with that commit? (SCENARIOS=, SETTINGS=, COMPARE=yes)' \
	'make tidy      clang-tidy        make format    clang-format' \
	'make install   to PREFIX (/usr/local), DESTDIR is honoured; make uninstall' \
	'make deb       a Debian package in build/deb/; make deb-test tries it in clean systems (RELEASE=trixie: of another release)' \
	'make systems   build and run on Debian 12 and 13 and Ubuntu 24.04, each with its compilers (SYSTEMS="trixie ...": only these)'

# ---- profile of the nodes ----

# Nodes that count run the scenarios of TRAINING, then pass on frames of real programs, in one process without a clock: so
# a profile is the same on any machine. It is made once; what is edited afterwards is compiled without, until `make clean`.
# PROFILE= builds without.
ifeq ($(if $(PROFILE),$(KIND)),release)
node_obj := $(call obj,$(node_src) $(switchd_src) $(nicd_src) nodes/control/control.pb-c.c)
untrained := $(foreach f,config/% clock/% control/% process/% node/pace% link/carrier% link/capture%,nodes/$(f)) nicd/host/%
profiled := $(filter-out $(untrained:%=$(B)/obj/%),$(node_obj))
counting := $(profiled:$(B)/%=$(PROFILE)/%)

$(PROFILE)/obj/%.o: %.c
	@mkdir -p $(@D)
	@echo '  cc   $<, to count'
	@$(CC) $(CFLAGS) $(filter-out -flto%,$(LTO_release)) -g0 -fprofile-generate \
		-dumpdir $(B)/obj/$(dir $<) -dumpbase $(<F) -dumpbase-ext .c -c -o $@ $<

.PRECIOUS: $(PROFILE)/obj/%.o

$(PROFILE)/sim_%: $(B)/obj/tests/sim/sim_%.o $(lib_sim) $(lib_orchestrator) $(counting) $(filter-out $(profiled),$(node_obj))
	@echo '  link $@'
	@$(CC) $(LDFLAGS) -O1 -fprofile-generate -o $@ $^ $(HEDDLE_LIBS)

# counts are written beside the object that they are for (-dumpdir), where gcc looks for them
$(PROFILE)/done: $(if $(wildcard $(PROFILE)/done),,$(PROFILE)/sim_json $(PROFILE)/sim_frames)
	@find $(B)/obj -name '*.gcda' -delete
	@echo '  run  $(words $(TRAINING)) scenarios, to count'
	@for s in $(TRAINING); do $(PROFILE)/sim_json topologies/$$s.yaml run.warmup=1us run.duration=100us >/dev/null || exit; done
	@$(PROFILE)/sim_json topologies/leaf-spine-adaptive.yaml run.warmup=1us run.duration=100us run.sample=1us >/dev/null
	@for f in flow-channel roce port-group; do $(PROFILE)/sim_frames topologies/two-racks.yaml 300 fabric=$$f >/dev/null || exit; done
	@touch $@

# what has no counts is compiled for size, so every profiled file must run in the training; what was edited has no counts that fit
$(profiled): | $(PROFILE)/done
$(profiled): private CFLAGS += -fprofile-use -fprofile-correction -Wno-missing-profile -Wno-coverage-mismatch
endif

# ---- programs ----

.PHONY: programs
programs: $(B)/heddle $(B)/switchd $(B)/nicd $(B)/workerd $(B)/libheddle-dilate.so $(if $(MPI),$(B)/rankd)

$(B)/heddle: $(B)/obj/orchestrator/main.o $(if $(filter asan,$(KIND)),$(B)/obj/tests/leaks.o) $(lib_orchestrator) $(lib_nodes)
	@echo '  link $@'
	@$(CC) $(LDFLAGS) -o $@ $^ $(HEDDLE_LIBS)

# each is optimised for itself: optimised together, with gcc 12, they take a tenth more CPU a hop
$(B)/switchd: $(B)/obj/switchd/main.o $(lib_switchd) $(lib_nodes)
	@echo '  link $@'
	@$(CC) $(LDFLAGS) -o $@ $^ $(NODE_LIBS)

$(B)/nicd: $(B)/obj/nicd/main.o $(lib_nicd) $(lib_nodes)
	@echo '  link $@'
	@$(CC) $(LDFLAGS) -o $@ $^ $(NODE_LIBS)

$(B)/workerd: $(B)/obj/workerd/main.o $(lib_switchd) $(lib_nicd) $(lib_nodes)
	@echo '  link $@'
	@$(CC) $(LDFLAGS) -o $@ $^ $(NODE_LIBS)

# loaded into any program in a host: without sanitizers, and only the C library beside it
$(B)/libheddle-dilate.so: $(wildcard preload/*/*.c preload/*/*.h)
	@mkdir -p $(@D)
	@echo '  link $@'
	@$(CC) -std=gnu17 $(WARN) -D_GNU_SOURCE -I. -O2 -g -fPIC -fexceptions -shared -Wl,-z,now,-z,defs -o $@ $(wildcard preload/*/*.c)

$(B)/rankd: $(B)/obj/rankd/main.o $(lib_rankd) $(B)/obj/rankd/link/transport.o $(lib_nodes)
	@echo '  link $@'
	@$(CC) $(LDFLAGS) -o $@ $^ $(NODE_LIBS) $(MPI_LIBS)

$(B)/obj/rankd/link/transport.o: CFLAGS += $(MPI_CFLAGS)
$(lib_rankd): $(call obj,$(rankd_src))
$(lib_nodes): $(call obj,$(node_src)) $(if $(filter tsan,$(KIND)),,$(B)/obj/nodes/control/control.pb-c.o) \
	$(if $(filter reach,$(KIND)),$(B)/obj/tests/reach.o)
$(lib_switchd): $(call obj,$(switchd_src))
$(lib_nicd): $(call obj,$(nicd_src))
$(lib_orchestrator): $(call obj,$(orchestrator_src))
$(lib_sim): $(call obj,$(sim_src))
$(lib_testing): $(B)/obj/tests/testing.o $(B)/obj/tests/ranks.o $(B)/obj/tests/next.o

$(B)/lib%.a:
	@rm -f $@
	@$(AR) rcs $@ $^

$(B)/both_nodes.o: $(lib_switchd) $(lib_nicd) $(lib_nodes)
	@echo '  link $@'
	@$(CC) $(LDFLAGS) -r -flinker-output=nolto-rel -Wl,--whole-archive -o $@ $^

$(GEN)/nodes/control/control.pb-c.c: nodes/control/control.proto
	@mkdir -p $(@D)
	@protoc-c --c_out=$(GEN) $<

$(B)/obj/nodes/control/control.pb-c.o: $(GEN)/nodes/control/control.pb-c.c
	@mkdir -p $(@D)
	@echo '  cc   $<'
	@$(CC) $(GEN_CFLAGS) -w -c -o $@ $<

$(B)/obj/%.o: %.c | $(GEN)/nodes/control/control.pb-c.c
	@mkdir -p $(@D)
	@echo '  cc   $<'
	@$(CC) $(CFLAGS) $(LATE_CFLAGS) -MMD -MP -c -o $@ $<

# `heddle --version` has the commit of this tree; no result has it, so that they do not differ
.PHONY: commit
commit: ;
$(GEN)/commit: commit
	@mkdir -p $(@D)
	@git describe --always --dirty --exclude '*' >$@.new 2>/dev/null || true
	@cmp -s $@ $@.new && rm $@.new || mv $@.new $@

$(B)/obj/orchestrator/main.o: $(GEN)/commit
$(B)/obj/orchestrator/main.o: LATE_CFLAGS = -DHEDDLE_COMMIT='"$(file <$(GEN)/commit)"' # read after it is written

# the page: modules, style and glossary in one file
$(GEN)/page.html: page/build.sh $(wildcard page/*.html page/*.css page/js/*.js) docs/results.md docs/glossary.md
	@echo '  page $@'
	@page/build.sh $@

$(B)/obj/orchestrator/view/view_page.o: $(GEN)/page.html

# what --json prints: `heddle schema`
$(GEN)/schema.fields: $(wildcard schema/*.fields)
	@mkdir -p $(@D)
	@cat $^ >$@

$(B)/obj/orchestrator/cli/schema.o: $(GEN)/schema.fields

# ---- tests ----

.SECONDEXPANSION:
percent := %
comma := ,
$(B)/unit/%: $$(filter $(B)/obj/$$(percent)/$$*.o,$(call obj,$(unit_src))) $(lib_testing) $(unit_libs)
	@mkdir -p $(@D)
	@echo '  link $@'
	@$(CC) $(LDFLAGS) -o $@ $^ $(CHECK_LIBS) $(HEDDLE_LIBS)

suite_src = $(filter-out $(addprefix %/,$(addsuffix .c,$(unit_alone))),$(wildcard tests/unit/$(subst .,/,$(1))/test_*.c))
$(B)/suite/%: $$(call obj,$$(call suite_src,$$*)) $(lib_testing) $(unit_libs)
	@mkdir -p $(@D)
	@echo '  link $@'
	@$(CC) $(LDFLAGS) -o $@ $^ $(CHECK_LIBS) $(HEDDLE_LIBS)

# its own allocations fail
$(B)/unit/test_allocation $(B)/unit/test_allocation_live $(B)/unit/test_allocation_plans $(B)/unit/test_allocation_results: LDFLAGS += $(addprefix -Wl$(comma)--wrap=,malloc calloc realloc aligned_alloc strdup table_alloc table_free)

# the kernel refuses its system calls
$(B)/unit/test_refused: LDFLAGS += $(addprefix -Wl$(comma)--wrap=,sendmmsg recvmmsg sendmsg recvmsg recv)
# what happens while a node yields, or sleeps
$(B)/unit/test_turn: LDFLAGS += $(addprefix -Wl$(comma)--wrap=,sched_yield event_loop_wait)

# the preloaded library takes the place of the C library in its own tests alone, which stand in for the C library: tests/next.h
preload_tests := $(patsubst %.c,$(B)/unit/%,$(notdir $(wildcard tests/unit/preload/*/test_*.c))) $(filter $(B)/suite/preload.%,$(unit_suites))
$(preload_tests): LDFLAGS += -Wl,--wrap=dilate_next
$(preload_tests): $(call obj,$(wildcard preload/*/*.c))

$(B)/sim/%: $(B)/obj/tests/sim/%.o $(lib_testing) $(lib_sim) $(lib_orchestrator) $(both_nodes)
	@mkdir -p $(@D)
	@echo '  link $@'
	@$(CC) $(LDFLAGS) -o $@ $^ $(CHECK_LIBS) $(HEDDLE_LIBS)

$(B)/system/%: $(B)/obj/tests/system/%.o $(both_nodes)
	@mkdir -p $(@D)
	@echo '  link $@'
	@$(CC) $(LDFLAGS) -o $@ $^ $(NODE_LIBS)

$(B)/system/lab_server: $(B)/obj/tests/system/lab_server.o $(lib_orchestrator) $(lib_nodes)
	@mkdir -p $(@D)
	@echo '  link $@'
	@$(CC) $(LDFLAGS) -o $@ $^ $(HEDDLE_LIBS)

$(B)/bench/%: $(B)/obj/tests/bench/%.o $(lib_nodes)
	@mkdir -p $(@D)
	@echo '  link $@'
	@$(CC) $(LDFLAGS) -o $@ $^ -pthread $(NODE_LIBS)

build/fuzz/fuzz/%: build/fuzz/obj/tests/fuzz/%.o build/fuzz/libswitchd.a build/fuzz/libnicd.a build/fuzz/librankd.a build/fuzz/liborchestrator.a build/fuzz/libnodes.a
	@mkdir -p $(@D)
	@echo '  link $@'
	@$(FUZZ_CC) -fsanitize=fuzzer,address,undefined -o $@ $^ $(HEDDLE_LIBS)

$(B)/replay/%: $(B)/obj/tests/fuzz/%.o $(B)/obj/tests/fuzz/replay.o $(lib_switchd) $(lib_nicd) $(lib_rankd) $(lib_orchestrator) $(lib_nodes)
	@mkdir -p $(@D)
	@echo '  link $@'
	@$(CC) $(LDFLAGS) -o $@ $^ $(HEDDLE_LIBS)

build/reach/obj/tests/reach.o: CFLAGS := -std=gnu17 $(WARN) -D_GNU_SOURCE -O2

.PRECIOUS: $(B)/obj/%.o $(GEN)/nodes/control/control.pb-c.c

# a replay needs a sanitizer, of which KIND=reach has none
unit: $(unit_tests)
unit-sim: $(unit_tests) $(sim_tests) $(if $(filter reach,$(KIND)),,$(replays))
suite-sim: $(unit_suites) $(sim_tests) $(replays)
# what no test links
mains: $(call obj,switchd/main.c nicd/main.c workerd/main.c orchestrator/main.c $(if $(MPI),rankd/main.c rankd/link/transport.c))
# long ones first: the last ones running leave no core idle for long
long_suites := $(addprefix $(B)/suite/orchestrator.,operate run view live hosts)
checked := $(subst $(B)/,build/asan/,$(long_suites)) $(large_tests) \
	   $(subst $(B)/,build/asan/,$(sim_tests) $(filter-out $(long_suites),$(unit_suites)) $(replays))
# of minutes, in make soak: pods of an image that is built first
long_system_tests := tests/system/test_kubernetes_pods.sh
system_tests := $(filter-out $(long_system_tests),$(wildcard tests/system/test_*.sh))
# Programs beside these change no verdict: they run under the virtual clock, or judge bytes and counts, no rate and no delay,
# and nothing that belongs to the whole machine. Long ones first.
beside_others := $(patsubst %,tests/system/test_%.sh,container view_run page ranks call_fails slurm labs sim_same_bytes congestion \
	tunnel_trouble path_pause json up_pack pack privileges fabric_manager fabric_prompt image image_database rooms room_settings \
	mixed_programs host_scenario host_programs many_hosts users load victim class_map same_as capture_roce capture roce_hosts \
	hosts veth_paths veth rootless dcqcn up_down own_control same_bytes pfc compare sweep walkthrough stopped_nodes live_recovery \
	flow_held cli wire_tshark attach_containers attach_rootless outside import lab_commands real_order live_faults \
	join refused result_keys show_flow no_io_uring rogue_peer break back prompt slow english install suite python \
	dissector capture_live kill save make stall port_group_hosts sockets layers events record view figures metrics carrier \
	impair kubernetes runner)
# these judge delays, and leave most of a core idle: one for each core
quiet_ones := $(patsubst %,tests/system/test_%.sh,links real_run top tunnel)
alone := $(filter-out $(beside_others) $(quiet_ones),$(system_tests))
test-helpers: $(helpers) $(B)/sim/sim_json $(B)/sim/sim_compare
benches: $(benches)
fuzzers: $(fuzzers)
.PHONY: test-helpers benches

# without large fabrics, which make test simulates: they need the release, and a third of the time
check: deps
	@$(MAKE) --no-print-directory KIND=asan suite-sim
	@tests/run.sh check $(filter-out $(large_tests),$(checked)) --

tsan: deps
	@$(MAKE) --no-print-directory KIND=tsan build/tsan/unit/test_clock build/tsan/unit/test_ring
	@tests/run.sh tsan build/tsan/unit/test_clock build/tsan/unit/test_ring

system: all
	@$(MAKE) --no-print-directory test-helpers
	@tests/run.sh system $(beside_others) ++ $(quiet_ones) -- $(alone)

# system tests need the release only: what sanitizers need is built while they wait
test: all
	@$(MAKE) --no-print-directory layers
	@$(MAKE) --no-print-directory test-helpers $(large_tests)
	@tests/run.sh -b '$(MAKE) --no-print-directory sanitized' all $(beside_others) + $(checked) \
		build/tsan/unit/test_clock build/tsan/unit/test_ring ++ $(quiet_ones) -- $(alone)

sanitized:
	@$(MAKE) --no-print-directory KIND=asan suite-sim mains
	@$(MAKE) --no-print-directory KIND=tsan build/tsan/unit/test_clock build/tsan/unit/test_ring
	@$(MAKE) --no-print-directory formatted

soak: all
	@$(MAKE) --no-print-directory test-helpers
	@$(MAKE) --no-print-directory KIND=asan build/asan/sim/test_swarm build/asan/sim/test_swarm_roce build/asan/sim/test_swarm_lid \
		$(addprefix build/asan/sim/,$(large_sims))
	@$(MAKE) --no-print-directory $(large_tests)
	@tests/run.sh 'soak, sanitised' $(addprefix build/asan/sim/,$(large_sims)) --
	@FAULTS_ALL=yes PERMUTATION_ALL=yes ROUNDS=200 SWARM_SEEDS=10000 ORDER_SEEDS=2000 tests/run.sh soak tests/system/test_kill.sh build/asan/sim/test_swarm \
		build/asan/sim/test_swarm_roce build/asan/sim/test_swarm_lid build/release/sim/test_faults build/release/sim/test_path_order \
		build/release/sim/test_permutation
	@ROUNDS=300 tests/run.sh 'soak, up and down' tests/system/test_up_down.sh
	@ROUNDS=300 tests/run.sh 'soak, stopped nodes' tests/system/test_stopped_nodes.sh
	@COUNT=300 tests/run.sh 'soak, calls that fail' tests/system/test_call_fails.sh
	@ROUNDS=57 ROUND_SECONDS=60 GROWTH_MAX=1.1 tests/run.sh 'soak, programs' tests/system/test_mixed_programs.sh
	@LONG=yes tests/run.sh 'soak, RoCE' tests/system/test_path_pause.sh
	@LONG=yes tests/run.sh 'soak, figures' tests/system/test_figures.sh
	@ROUNDS=10 LARGE=yes ALL=yes tests/run.sh 'soak, packed nodes' tests/system/test_pack.sh
	@tests/run.sh 'soak, pods' $(long_system_tests)
	@./heddle run topologies/deep-tree.yaml

FUZZ_SECONDS ?= 600
fuzz: deps
	@$(MAKE) --no-print-directory KIND=fuzz CC=$(FUZZ_CC) AR=ar fuzzers
	@tests/fuzz/run.sh $(FUZZ_SECONDS)

# other versions of clang-format differ
formatted:
	@case $$(clang-format --version) in *' version 14.'*) \
		git ls-files '*.c' '*.h' 2>/dev/null | xargs -r clang-format --dry-run -Werror || { echo 'make format mends it'; false; } ;; esac

bench: all
	@$(MAKE) --no-print-directory benches
	@$(MAKE) --no-print-directory test-helpers
	@tests/bench/run.sh
	@tests/bench/size.sh
	@tests/bench/ranks.sh
	@tests/bench/busy.sh
	@tests/bench/hosts.sh
	@tests/bench/recording.sh
	@tests/bench/serving.sh

# what hosts.sh measures for the ratios
kept_hosts := CONTESTANTS='shm packed quick veth bridge ovs' CHAINS='3 5' SIZES=
# ratios that are kept in tests/bench/ratios/ for this kind of machine; no absolute figure
bench-check: all
	@$(MAKE) --no-print-directory benches
	@status=0; CHECK=yes tests/bench/size.sh || status=$$?; CHECK=yes $(kept_hosts) tests/bench/hosts.sh || status=$$?; exit $$status

bench-keep: all
	@$(MAKE) --no-print-directory benches
	@KEEP=yes tests/bench/size.sh
	@KEEP=yes $(kept_hosts) tests/bench/hosts.sh

bench-busy: all
	@$(MAKE) --no-print-directory test-helpers
	@tests/bench/busy.sh

bench-hosts: all
	@$(MAKE) --no-print-directory benches
	@tests/bench/hosts.sh

# a quarter of an hour of two cores for all of them
FIGURES ?= $(shell tests/bench/figures.sh)
figures: deps $(addprefix build/figures/,$(addsuffix .md,$(FIGURES)))

build/figures/%.md: build/release/sim/sim_json tests/bench/figures.sh
	@mkdir -p $(@D)
	@tests/bench/figures.sh $* >$@.new && mv $@.new $@ && echo && echo '$*' && cat $@

demo: all
	@./heddle run topologies/parking-lot-by-port.yaml
	@./heddle run topologies/parking-lot.yaml
	@printf '\nRoCE with PFC, DCQCN and what helps it, beside flow channels: ./heddle run --compare topologies/roce-compare.yaml\n'

victim: all
	@HEDDLE=$(CURDIR)/heddle PYTHONDONTWRITEBYTECODE=1 python3 examples/victim/run.py

dilation: all
	@HEDDLE=$(CURDIR)/heddle examples/dilation/run.sh

# the pictures of the pages, as the page draws them
pictures: all
	@tests/page/pictures.py ./heddle $(GEN)/page.html docs/pictures

labs: all
	@LABS_STUDENTS=20 tests/run.sh labs tests/system/test_labs.sh

# ---- maintenance ----

deps:
	@tests/deps.sh "$(PACKAGES)" "$(MPI_PACKAGES) $(if $(filter test check system soak tsan,$(MAKECMDGOALS)),$(TEST_PACKAGES))" \
		"$(if $(filter test check soak fuzz mutants unreached tidy format,$(MAKECMDGOALS)),$(CLANG_PACKAGES))" \
		"$(if $(filter bench bench-%,$(MAKECMDGOALS)),$(BENCH_PACKAGES)) $(if $(filter deb deb-test,$(MAKECMDGOALS)),$(DEB_PACKAGES)) \
		$(if $(filter systems,$(MAKECMDGOALS)),$(SYSTEMS_PACKAGES))"

# the tables of docs/scenario.md, from the rows of .def files
tables:
	@$(MAKE) --no-print-directory KIND=asan build/asan/unit/test_parameter_text
	@TABLES=write build/asan/unit/test_parameter_text >/dev/null

modules:
	@tests/modules.sh $(FOLDERS)

layers:
	@tests/layers.sh
	@tests/english.sh

# do the tests see a wrong statement? N mutants of production code, drawn by SEED
mutants: reachable
	@$(MAKE) --no-print-directory KIND=asan unit-sim build/asan/sim/test_swarm_paths
	@N='$(or $(N),20)' SEED='$(SEED)' FILES='$(FILES)' SYSTEM='$(SYSTEM)' tests/mutants.py

# which lines does no test enter?
unreached: reachable
	@FILES='$(FILES)' tests/unreached.py

# programs and tests that note which lines they enter
reachable: all
	@$(MAKE) --no-print-directory test-helpers
	@$(MAKE) --no-print-directory KIND=reach programs unit-sim build/reach/sim/test_swarm_paths build/reach/sim/sim_json build/reach/sim/sim_compare

# for changes that must not change a result; what is not committed counts as well
COMMIT ?= HEAD
same-as: deps
	@$(MAKE) --no-print-directory KIND=release programs
	@CC='$(CC)' SCENARIOS='$(SCENARIOS)' SETTINGS='$(SETTINGS)' COMPARE='$(COMPARE)' tests/same_as.sh '$(COMMIT)'

tidy:
	@clang-tidy --quiet $(node_src) $(switchd_src) $(nicd_src) $(rankd_src) $(orchestrator_src) -- -std=gnu17 -D_GNU_SOURCE -I. -I$(GEN)

format:
	@clang-format -i $$(git ls-files '*.c' '*.h')

PREFIX ?= /usr/local
ZSHDIR ?= share/zsh/site-functions
# where Python looks: Debian's own packages, or those of this machine's version
PYTHONDIR ?= lib/python$(if $(filter /usr,$(PREFIX)),3,$(shell /usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || echo 3))/dist-packages
HEDDLE_VERSION = $(shell sed -n 's/.*HEDDLE_VERSION "\(.*\)"/\1/p' nodes/base/version.h)

install: all
	install -D -m 755 $(B)/heddle $(DESTDIR)$(PREFIX)/bin/heddle
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/libexec/heddle $(B)/switchd $(B)/nicd $(B)/workerd $(if $(MPI),$(B)/rankd)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/libexec/heddle $(B)/libheddle-dilate.so
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/heddle/topologies $(wildcard topologies/*.*)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/heddle/topologies/score topologies/score/*
	@for file in $$(cd topologies && find labs -type f); do \
		install -D -m 644 topologies/$$file $(DESTDIR)$(PREFIX)/share/heddle/topologies/$$file || exit 1; done
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include/heddle include/heddle/*.h
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/heddle/examples examples/*.c
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/heddle/examples/service $(wildcard examples/service/*.*) examples/service/Containerfile
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/heddle/examples/victim $(wildcard examples/victim/*.*)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/heddle/examples/dilation examples/dilation/incast.yaml examples/dilation/pair.yaml
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/share/heddle/examples/dilation examples/dilation/run.sh
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/heddle/examples/service/tests $(wildcard examples/service/tests/*.*)
	install -D -m 644 orchestrator/view/grafana.json $(DESTDIR)$(PREFIX)/share/heddle/grafana/heddle.json
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/heddle/wireshark wireshark/heddle.lua
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/heddle/wireshark/profile wireshark/profile/*
	mkdir -p $(B)/schema && $(B)/heddle schema --write $(B)/schema
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/heddle/schema $(B)/schema/*.json
	mkdir -p $(B)/man && $(B)/heddle help --man $(B)/man
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man1 $(B)/man/*.1
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man5 $(B)/man/*.5
	@$(MAKE) --no-print-directory install-python
	install -D -m 644 completion/heddle.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/heddle
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/$(ZSHDIR) completion/_heddle
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d completion/heddle.fish
	@printf '%s\n' 'For Wireshark and tshark, once for each user:' \
	'  mkdir -p ~/.local/lib/wireshark/plugins ~/.config/wireshark/profiles' \
	'  ln -sf $(PREFIX)/share/heddle/wireshark/heddle.lua ~/.local/lib/wireshark/plugins/' \
	'  cp -r $(PREFIX)/share/heddle/wireshark/profile ~/.config/wireshark/profiles/Heddle'

# the module, and what says to pytest that it has a fixture
.PHONY: install-python
install-python:
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/$(PYTHONDIR)/heddle python/heddle/*.py python/heddle/py.typed
	install -d $(DESTDIR)$(PREFIX)/$(PYTHONDIR)/heddle-$(HEDDLE_VERSION).dist-info
	printf 'Metadata-Version: 2.1\nName: heddle\nVersion: %s\n' $(HEDDLE_VERSION) \
		>$(DESTDIR)$(PREFIX)/$(PYTHONDIR)/heddle-$(HEDDLE_VERSION).dist-info/METADATA
	printf '[pytest11]\nheddle = heddle.pytest_plugin\n' \
		>$(DESTDIR)$(PREFIX)/$(PYTHONDIR)/heddle-$(HEDDLE_VERSION).dist-info/entry_points.txt

# what install wrote, and folders of Heddle's own
uninstall:
	rm -rf $(addprefix $(DESTDIR)$(PREFIX)/,libexec/heddle share/heddle include/heddle \
		$(PYTHONDIR)/heddle $(PYTHONDIR)/heddle-$(HEDDLE_VERSION).dist-info)
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,bin/heddle share/man/man1/heddle.1 share/man/man1/heddle-*.1 \
		share/man/man5/heddle-scenario.5 share/bash-completion/completions/heddle \
		$(ZSHDIR)/_heddle share/fish/vendor_completions.d/heddle.fish)

# a Debian package of this tree, in build/deb/
deb: deps
	@tests/deb.sh build

# ... built in a clean system, installed in another one, used there, and removed
deb-test: deps
	@tests/deb.sh test $(RELEASE)

# other releases and compilers
systems: all
	@tests/systems.sh $(SYSTEMS)

clean:
	rm -rf build heddle

# of this kind only: another make may be writing those of another one
-include $(shell find $(B) -name '*.d' 2>/dev/null)
