# SPDX-License-Identifier: GPL-2.0-only
#
# A wrapper around the scripts; "make help" describes each target. The modules are
# built by Kbuild.

SHELL := /bin/bash
DIRS ?= core xprtrdma svcrdma kunit
export DIRS EXT KVER BUILD DESTDIR SIGN_KEY SIGN_CERT V W PLUGINDIR PREFIX

define HELP
Targets                                                                [variables]
  demo              export, mount, copy, compare, and an outage, in guests (5 minutes)
  modules           build for the running kernel or KVER, in build/host/ (default) [DIRS KFLAGS V W]
  modules-uml       build with KUnit suites for User Mode Linux; modules-uml-debug: with sanitizers
  install           for one kernel, signed if required; as root [KVER DESTDIR SIGN_KEY SIGN_CERT]
  install-dissector install for Wireshark [PLUGINDIR]; install-tools: rpcrdmactl
  uninstall         undo install; uninstall-dissector and uninstall-tools undo the others
  deb rpm dkms      make packages in build/packages/; tests: check-packages (5 minutes) and
                    guest-packages (45 minutes)
  upstream          write a patch series for Linux 7.3 into build/upstream/ [SIGNOFF=y]; tests:
                    check-upstream (20 minutes) and check-upstream-full (an hour)
  docs              convert Documentation/ to HTML in build/docs/html/
  setup clean       install the packages for make check; remove build/
While you edit
  lint              all linters; to run some: scripts/check/run NAME...
  kunit             KUnit suites in User Mode Linux, 15 s [SUITES="svc_sq xprt_reply*"]
  echo              both transports in one kernel, over soft-RoCE, 20 s
  codec             the codec's suites in userspace, 5 s
  test-tools        tests of rpcrdmactl, the dissector and scripts, 30 s
  guest-uml         guest tests [TESTS="nfs-v3 nfs-ipv6"]; guest-x86: on the stock kernel
Before you submit a change
  check             builds, linters, suites, guest tests (20 minutes)
  extensions        builds without each extension and without all, a minute
  kernels           builds for 7.3 and 6.12, both also PREEMPT_RT, 7.2, 6.1; guest-kernels: tests
  adapters          guest tests with the limits and habits of adapters (20 minutes)
  interop-kernels   7.3, 6.12 and 6.1 with each other, ours with in-tree (30 minutes) [TESTS]
To find rare faults
  fuzz fuzz-guest   decoders; both sides against hostile peers [FUZZ_SECONDS=60 FUZZ_SEED=1]
  vmtest-debug      KUnit, echo and guest tests with sanitizers; vmtest-smp: two processors [TESTS];
                    vmtest-kcsan: two processors, data races (KCSAN)
  guest-long        guest tests with long waits (45 minutes); guest-reclaim: short of memory;
                    guest-damage: a bad link
  coverage mutants  unexecuted lines [RUNS]; undetected mistakes [MUTANTS=100 SEED=1] (hours)
To measure
  bench             instructions per NFS operation: ours, in-tree, TCP (5 minutes) [BENCH=OPTIONS]
  bench-quick       some operations, compared with the committed ratios (2 minutes)
Kernels are kept in RPCRDMA_CACHE (~/.cache/rpcrdma). scripts/README.md lists the programs.
endef
export HELP

.PHONY: $(shell sed -n 's/^\([a-z0-9-]*\):.*/\1/p' $(firstword $(MAKEFILE_LIST)))

modules:
	@scripts/setup host
	@scripts/build host $(KFLAGS)

help:
	@echo "$$HELP"

docs:
	@scripts/setup docs
	@scripts/check/run sphinx

demo:
	@scripts/demo

modules-uml:
	@scripts/setup uml
	@scripts/build uml $(KFLAGS)

modules-uml-debug:
	@scripts/setup uml-debug
	@scripts/build uml-debug $(KFLAGS)

clean:
	rm -rf $(or $(BUILD),build)

setup:
	@scripts/setup check

install uninstall:
	@scripts/install/modules $@

# The plugin folder that tshark names: global for root, else personal
PLUGINS = $(shell tshark -G folders 2>/dev/null | sed -n "s/^$$([ $$(id -u) = 0 ] && \
	echo Global || echo Personal) Lua Plugins:[[:space:]]*//p" | head -n 1)
DISSECTOR = $(or $(PLUGINDIR),$(PLUGINS),$(error tshark, which names the folder, is not installed: \
	set PLUGINDIR))/rpcrdma2.lua

install-dissector:
	install -D -m 644 scripts/wireshark/rpcrdma2.lua "$(DISSECTOR)"

uninstall-dissector:
	rm -f "$(DISSECTOR)"

install-tools uninstall-tools:
	@scripts/install/tools $(@:-tools=)

dkms:
	@packaging/build dkms

deb rpm:
	@scripts/setup packaging
	@packaging/build $@

check-packages:
	@scripts/setup packaging
	@packaging/check

guest-packages:
	@scripts/setup packaging upgrade
	@packaging/build deb
	@packaging/build rpm
	@packaging/upgrade/run

# The patch series is for this kernel, and its User Mode Linux supports two processors.
vmtest-smp: export RPCRDMA_SERIES = 7.3
upstream check-upstream check-upstream-full: export RPCRDMA_SERIES = 7.3

upstream:
	@scripts/setup source
	@. scripts/common.sh && scripts/upstream/write --out "$$RPCRDMA_BUILD/upstream" \
		--source "$$RPCRDMA_CACHE/linux-source-$$RPCRDMA_SERIES" $(if $(SIGNOFF),--signoff)

check-upstream:
	@scripts/setup check
	@scripts/upstream/check

check-upstream-full:
	@scripts/setup check
	@scripts/upstream/check --full

kunit:
	@scripts/setup uml
	@scripts/check/kunit $(foreach suite,$(SUITES),'$(suite)')

codec:
	@scripts/check/codec

echo:
	@scripts/setup uml
	@scripts/build uml
	@scripts/tests/run echo

test-tools:
	@scripts/setup tools
	@scripts/check/tools

lint:
	@scripts/setup check
	@scripts/check/run

check:
	@scripts/ci

guest-uml guest-x86:
	@scripts/setup check
	@scripts/build $(@:guest-%=%)
	@scripts/tests/run --kernel $(@:guest-%=%) $(TESTS)

guest-long:
	@scripts/setup check
	@scripts/build uml
	@scripts/tests/run --kernel uml --target $@ --jobs 1
	@scripts/tests/run --kernel uml --provider siw --jobs 1 caller-table version-2-server

extensions:
	@scripts/setup check
	@scripts/check/extensions

kernels:
	@scripts/setup kernels
	@scripts/check/kernels

# Tests on the other kernels; scripts/ci selects those on the stock kernel.
KERNEL_TESTS = nfs-v3 nfs-v40 nfs-v41 nfs-v42 chunks-counted delegation-recall \
	module-busy server-deferred

guest-kernels: $(addprefix guest-,x86-rt x86-6.12 x86-6.12-rt x86-6.1)
	@scripts/tests/run --kernel x86-6.1 --jobs 1 --adapter "" $(or $(TESTS),nfs-v3 nfs-v42)
	@! (. scripts/common.sh && stock_release x86-7.2 >/dev/null) || $(MAKE) guest-x86-7.2

guest-x86-%:
	@scripts/setup check kernels
	@scripts/build $(@:guest-%=%)
	@scripts/tests/run --kernel $(@:guest-%=%) --jobs 1 $(or $(TESTS),$(KERNEL_TESTS))

# Profiles in kunit/adapter/profiles.c; iWARP profiles run over siw.
ADAPTERS = mlx4 mlx5 irdma bnxt_re qedr hfi1 ocrdma erdma worst
IWARP_ADAPTERS = i40iw cxgb4
ADAPTER_TESTS = nfs-v3 nfs-v42 sizes-v3 delegation-recall version-mixed \
	queues-full adapter-posts adapter-regions adapter-gone echo
BUS_TESTS = nfs-v3 nfs-v42 chunks-counted
# Without quirks.h, soft-RoCE can lose data after delays or losses, so these tests have none.
NO_QUIRKS_TESTS = nfs-v3 nfs-v42 sizes-v3 delegation-recall version-mixed
NO_QUIRKS = RPCRDMA_QUIRKS=n BUILD=$(abspath $(or $(BUILD),build))/no-quirks

adapters:
	@scripts/setup check
	@scripts/build uml
	@for name in $(ADAPTERS) $(IWARP_ADAPTERS); do \
		case " $(IWARP_ADAPTERS) " in *" $$name "*) provider=siw ;; *) provider=rxe ;; esac; \
		ECHO_KILLS=500 scripts/tests/run --kernel uml --provider $$provider \
			--adapter "profile=$$name dma=1 delay_us=200" $(or $(TESTS),$(ADAPTER_TESTS)) || exit; done
	@scripts/tests/run --kernel uml --adapter profile=mana adapter-refused
	@$(NO_QUIRKS) scripts/build uml
	@for adapter in rxe:mlx5 rxe:irdma rxe:worst siw:cxgb4; do \
		$(NO_QUIRKS) scripts/tests/run --kernel uml --provider $${adapter%:*} \
			--adapter "profile=$${adapter#*:} dma=1" $(or $(TESTS),$(NO_QUIRKS_TESTS)) || exit; done
	@scripts/build x86
	@for bus in intel_iommu=on swiotlb=force; do \
		scripts/tests/run --kernel x86 --append "$$bus ib_core.force_mr=1" \
			--adapter "profile=mlx5 dma=1" $(or $(TESTS),$(BUS_TESTS)) || exit; done

INTEROP_TESTS = interop-ours interop-client interop-server

interop-kernels:
	@scripts/setup check kernels
	@for kernel in x86 x86-6.12 x86-6.1; do scripts/build $$kernel || exit; done
	@for pair in x86:x86-6.12 x86-6.12:x86 x86:x86-6.1 x86-6.1:x86 x86-6.12:x86-6.1 x86-6.1:x86-6.12; do \
		scripts/tests/run --kernel $${pair%:*} --client-kernel $${pair#*:} \
			$(or $(TESTS),$(INTEROP_TESTS)) || exit; done

fuzz:
	@scripts/setup check
	@scripts/fuzz/codec/run $(or $(FUZZ_SECONDS),60)

fuzz-guest:
	@scripts/setup check
	@scripts/build uml
	@FUZZ_SECONDS=$(or $(FUZZ_SECONDS),60) scripts/tests/run --kernel uml --target $@

vmtest-debug:
	@scripts/setup check uml-debug
	@scripts/build uml-debug
	@scripts/check/kunit --kernel uml-debug --no-build
	@scripts/tests/run --kernel uml-debug echo
	@scripts/tests/run --kernel uml-debug $(or $(TESTS),--target "" --target guest-long)

vmtest-smp: KERNEL = uml-debug
vmtest-kcsan: KERNEL = uml-kcsan

vmtest-smp vmtest-kcsan:
	@scripts/setup check $(KERNEL)
	@scripts/build $(KERNEL)
	@scripts/tests/run --kernel $(KERNEL) --smp 2 echo
	@scripts/tests/run --kernel $(KERNEL) --smp 2 --jobs 1 $(TESTS)

guest-reclaim:
	@scripts/setup check
	@scripts/build x86
	@scripts/tests/run --kernel x86 --jobs 1 --target $@

guest-damage:
	@scripts/setup check
	@scripts/build uml
	@scripts/tests/run --kernel uml --slow 3 pair-damage

bench:
	@scripts/setup bench
	@scripts/build x86
	@scripts/bench/run $(BENCH)

bench-quick:
	@scripts/setup bench
	@scripts/build x86
	@scripts/bench/quick $(BENCH)

coverage:
	@scripts/setup check uml-debug
	@scripts/coverage $(RUNS)

mutants:
	@scripts/setup check
	@scripts/build uml
	@scripts/mutants/run --seed $(or $(SEED),1) codec xprtrdma:$(or $(MUTANTS),100) \
		svcrdma:$(or $(MUTANTS),100)
