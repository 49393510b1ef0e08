# SPDX-License-Identifier: GPL-2.0-only
#
# A wrapper around the scripts; "make help" says what each target does.
# (The modules' own makefile is Kbuild.)

SHELL := /bin/bash
DIRS ?= core xprtrdma svcrdma kunit
export DIRS KVER BUILD DESTDIR SIGN_KEY SIGN_CERT V W FOR PREFIX PLUGINDIR

.PHONY: all
all: modules

##@ Try it
.PHONY: demo docs

docs: ## HTML of Documentation/, into build/docs/html/
	@scripts/setup docs
	@scripts/check/docs

demo: ## In guests: export, mount, copy, compare; charts of ours, in-tree, TCP (5 minutes)
	@scripts/demo

##@ Build
.PHONY: modules modules-uml modules-uml-debug clean

all: ## The same as modules: what "make" alone does
modules: ## The modules for the stock kernel, into build/x86/
	@scripts/setup build
	@scripts/build x86 $(KFLAGS)

modules-uml: ## The modules and KUnit suites for User Mode Linux, into build/uml/
	@scripts/setup uml
	@scripts/build uml $(KFLAGS)

modules-uml-debug: ## The same for the UML kernel with sanitizers, into build/uml-debug/
	@scripts/setup uml-debug
	@scripts/build uml-debug $(KFLAGS)

clean: ## Remove build/ (the cached kernels stay)
	rm -rf $(or $(BUILD),build)

##@ Install
.PHONY: install uninstall install-dissector uninstall-dissector install-tools uninstall-tools

install: ## Install the modules for one kernel, signed if need be (as root)
	@scripts/install/modules install

uninstall: ## Return to the kernel's own transport, on all kernels or on KVER (as root)
	@scripts/install/modules uninstall

install-dissector: ## The Wireshark dissector of version 2 (FOR=user|system, PREFIX=, DESTDIR=)
	@scripts/install/dissector install

uninstall-dissector: ## Remove it again (the same variables)
	@scripts/install/dissector uninstall

install-tools: ## Install rpcrdmactl, its manual page and completion (as root; PREFIX=/usr)
	@scripts/install/tools install

uninstall-tools: ## Remove them
	@scripts/install/tools uninstall

##@ Make packages, into build/packages/
.PHONY: dkms deb rpm check-packages guest-packages

dkms: ## A tarball of the modules' source for DKMS
	@packaging/build dkms

deb: ## Debian packages rpcrdma-dkms and rpcrdma-tools, and their source
	@scripts/setup packaging
	@packaging/build deb

rpm: ## The same as RPM packages
	@scripts/setup packaging
	@packaging/build rpm

check-packages: ## All packages are complete, and DKMS builds and skips as it should (5 minutes)
	@scripts/setup packaging
	@packaging/check

guest-packages: ## Install, upgrade kernel and packages, remove, Secure Boot, in a Debian guest (45 minutes)
	@scripts/setup packaging upgrade
	@packaging/build deb
	@packaging/build rpm
	@packaging/upgrade/run

##@ The kernel itself
.PHONY: upstream check-upstream check-upstream-full

upstream: ## The modules as a patch series for Linux 6.12, into build/upstream/ (SIGNOFF=y)
	@scripts/setup source
	@. scripts/common.sh && scripts/upstream/write --out "$$RPCRDMA_BUILD/upstream" \
		--source "$$RPCRDMA_CACHE/linux-source-$$RPCRDMA_SERIES" $(if $(SIGNOFF),--signoff)

check-upstream: ## Apply it, compile after each patch, test a kernel with its modules (20 minutes)
	@scripts/setup check
	@scripts/upstream/check

check-upstream-full: ## Also run all guest tests, and build it into a kernel (an hour)
	@scripts/setup check
	@scripts/upstream/check --full

##@ Check quickly: while you write
.PHONY: kunit codec echo guest-uml test-tools lint style

kunit: ## KUnit suites in User Mode Linux: 15 s, one of them 5 s (SUITES="svc_sq xprt_reply*")
	@scripts/setup uml
	@scripts/check/kunit $(foreach suite,$(SUITES),'$(suite)')

codec: ## The codec's suites as a program, with sanitizers: 5 s
	@scripts/check/codec

echo: ## Both transports in one kernel, over soft-RoCE: 20 s
	@scripts/setup uml
	@scripts/check/echo

guest-uml: ## Guest tests in User Mode Linux, or some of them (TESTS="nfs-v3 ipv6")
	@scripts/setup check
	@scripts/build uml
	@scripts/tests/run --kernel uml $(TESTS)

test-tools: ## Unit tests of rpcrdmactl, and of what the demonstration shows: 10 s
	@scripts/check/tools

lint: ## The linters, scripts/check/style; some of them: scripts/check/run NAME...
	@scripts/setup check
	@scripts/check/run

style: lint ## The same as lint

##@ Check everything: before a change goes in
.PHONY: check guest-x86 kernels guest-kernels interop-kernels dissector

check: ## Builds, linters, codec suites, KUnit, guest tests; ends with totals
	@scripts/ci

guest-x86: ## Guest tests on the stock kernel in QEMU, or some of them (TESTS=)
	@scripts/setup check
	@scripts/build x86
	@scripts/tests/run --kernel x86 $(TESTS)

kernels: ## Build for all supported stock kernels: 6.12, 6.12-rt, 6.1 (5 minutes)
	@scripts/setup kernels
	@scripts/check/kernels

# The stock kernel's own selection is in scripts/ci.
KERNEL_TESTS = nfs-v3 nfs-v40 nfs-v41 nfs-v42 chunks-counted delegation-recall \
	module-reload

guest-kernels: ## Core guest tests on 6.1 and on 6.12-rt, in QEMU (TESTS=)
	@scripts/setup check kernels
	@scripts/build x86-6.1
	@scripts/build x86-rt
	@scripts/tests/run --kernel x86-6.1 --jobs 1 $(or $(TESTS),$(KERNEL_TESTS))
	@scripts/tests/run --kernel x86-6.1 --jobs 1 --adapter "" $(or $(TESTS),nfs-v3 nfs-v42)
	@scripts/tests/run --kernel x86-rt --jobs 1 $(or $(TESTS),$(KERNEL_TESTS))

INTEROP_TESTS = pair-data interop-client interop-server

interop-kernels: ## Clients on 6.1 with servers on 6.12 and the reverse, ours and in-tree (15 minutes)
	@scripts/setup check kernels
	@scripts/build x86
	@scripts/build x86-6.1
	@scripts/tests/run --kernel x86-6.1 --client-kernel x86 $(or $(TESTS),$(INTEROP_TESTS))
	@scripts/tests/run --kernel x86 --client-kernel x86-6.1 $(or $(TESTS),$(INTEROP_TESTS))

dissector: ## The Wireshark dissector of version 2, on captures made for that
	@scripts/setup check
	@scripts/check/dissector

##@ Look for rare faults (these take long)
.PHONY: fuzz fuzz-guest vmtest-debug vmtest-smp guest-reclaim guest-trace guest-damage

fuzz: ## The header decoders under libFuzzer, for FUZZ_SECONDS=60
	@scripts/setup check
	@scripts/fuzz/codec/run $(or $(FUZZ_SECONDS),60)

fuzz-guest: ## Both sides against hostile peers in guests, each for FUZZ_SECONDS=60 (FUZZ_SEED=1)
	@scripts/setup check
	@scripts/build uml
	@scripts/fuzz/run --seconds $(or $(FUZZ_SECONDS),60) --seed $(or $(FUZZ_SEED),1)

vmtest-debug: ## KUnit, echo and guest tests under KASAN, lockdep, UBSAN, kmemleak
	@scripts/setup check uml-debug
	@scripts/build uml-debug
	@scripts/check/kunit --kernel uml-debug --no-build
	@scripts/check/echo --kernel uml-debug --no-build
	@scripts/tests/run --kernel uml-debug $(TESTS)

# Emulation takes ten times as long: only what depends most on concurrency.
SMP_TESTS = fault-disconnect link-down nfs-v3 nfs-v42 nconnect-4 server-restart \
	delegation-recall module-busy

vmtest-smp: ## Echo and some guest tests on two processors, under the sanitizers, in QEMU
	@scripts/setup check x86-debug
	@scripts/build x86-debug
	@scripts/check/echo --kernel x86-debug --no-build
	@scripts/tests/run --kernel x86-debug --jobs 1 $(or $(TESTS),$(SMP_TESTS))

guest-reclaim: ## Clients short of memory: writeback and a swap file on the mount, in QEMU
	@scripts/setup check
	@scripts/build x86
	@scripts/tests/run --kernel x86 --jobs 1 $(or $(TESTS),'reclaim-*')

guest-trace: ## The latency of each stage of an RPC by perf and bpftrace, in QEMU
	@scripts/setup check
	@scripts/build x86
	@scripts/tests/run --kernel x86 --jobs 1 trace-tools

guest-damage: ## Two guests whose link loses, damages, delays and reorders packets
	@scripts/setup check
	@scripts/build uml
	@scripts/tests/run --kernel uml --slow 3 pair-damage

##@ Measure
.PHONY: bench bench-quick compare coverage mutants

bench: ## Instructions of NFS operations: ours, in-tree, TCP; build/bench/report.txt (5 minutes)
	@scripts/setup bench
	@scripts/build x86
	@scripts/bench/run $(BENCH)

bench-quick: ## Some of them, ours and in-tree, compared with what is committed (1 minute)
	@scripts/setup bench
	@scripts/build x86
	@scripts/bench/quick $(BENCH)

compare: ## The codec against rpcgen's: the same headers both ways
	@scripts/setup check
	@scripts/bench/codec/run

coverage: ## Lines of the modules that the checks execute: build/coverage/html (long)
	@scripts/setup check uml-debug
	@scripts/coverage $(RUNS)

mutants: ## Small mistakes that the suites miss (long; MUTANTS=100 of each transport, SEED=1)
	@scripts/setup check
	@scripts/build uml
	@scripts/mutants/run --seed $(or $(SEED),1) codec xprtrdma:$(or $(MUTANTS),100) \
		svcrdma:$(or $(MUTANTS),100)

##@ Prepare kernels (the other targets call what they need)
.PHONY: setup uml uml-debug x86-debug

setup: ## Install missing packages and build the UML kernel
	@scripts/setup check

uml: ## The User Mode Linux kernel, into the cache
	@scripts/setup uml

uml-debug: ## The UML kernel with KASAN, lockdep, UBSAN, kmemleak, into the cache
	@scripts/setup uml-debug

x86-debug: ## The same options for x86-64 with two processors, into the cache
	@scripts/setup x86-debug

##@ Help
.PHONY: help

help: ## This text
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z0-9-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo 'Variables'
	@echo '  DIRS="core svcrdma"   build only these folders'
	@echo '  KVER=, DESTDIR=        kernel release; root to install to'
	@echo '  SIGN_KEY=, SIGN_CERT=  what install signs the modules with'
	@echo '  SIGNOFF=y              sign the patches for the kernel off'
	@echo '  W=1 V=1 KFLAGS=        passed on to kbuild'
	@echo '  SUITES=, TESTS=        choose KUnit suites, guest tests (shell patterns)'
	@echo '  RUNS=                  choose parts of coverage'
	@echo '  BENCH="--profile read-4k" options of scripts/bench/run, scripts/bench/quick'
	@echo '  MUTANTS=, SEED=        number of mutants of each transport; which ones'
	@echo '  RPCRDMA_CACHE=         where kernels are kept (~/.cache/rpcrdma)'
	@echo 'scripts/README.md says what the programs behind these targets are.'
