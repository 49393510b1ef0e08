# SPDX-License-Identifier: GPL-2.0-only
#
# A wrapper around the scripts; "make help" says what each target does.
# (The modules' own makefile is Kbuild.)

SHELL := /bin/bash
DIRS ?= codec xprtrdma svcrdma kunit
export DIRS KVER BUILD DESTDIR V W

.PHONY: all
all: modules

##@ Building
.PHONY: modules modules-uml modules-uml-debug clean

modules: ## Build the modules for the stock kernel into build/x86/
	@scripts/setup build
	@scripts/build x86 $(KFLAGS)

modules-uml: ## Build the modules and KUnit suites for User Mode Linux into build/uml/
	@scripts/setup uml
	@scripts/build uml $(KFLAGS)

modules-uml-debug: ## The same for the UML kernel with sanitizers into build/uml-debug/
	@scripts/setup uml-debug
	@scripts/build uml-debug $(KFLAGS)

clean: ## Remove build/ (the cached kernels stay)
	rm -rf $(or $(BUILD),build)

##@ Using
.PHONY: demo install uninstall

demo: ## Show NFS over the three modules in a guest: one command, nothing to prepare
	@scripts/demo

install: ## Install the modules and rpcrdma.conf, so that modprobe prefers them (as root)
	@scripts/install/modules install

uninstall: ## Return to the kernel's own transport (as root)
	@scripts/install/modules uninstall

##@ Checking
.PHONY: check lint style codec mutants compare dissector fuzz fuzz-guest kunit echo guest-uml guest-x86 guest-reclaim guest-damage vmtest-debug vmtest-smp coverage

check: ## Everything: builds, style, codec suites, KUnit, guest tests; ends with totals
	@scripts/ci

lint: ## Only the linters: checkpatch, sparse, coccinelle, kernel-doc, shellcheck, size limits
	@scripts/setup check
	@scripts/check/run

style: lint

codec: ## Only the codec's suites, as a program with sanitizers
	@scripts/check/codec

mutants: ## Small mistakes that the suites do not notice (long; MUTANTS=100 of each transport, SEED=1)
	@scripts/setup check
	@scripts/build uml
	@scripts/mutants/run --seed $(or $(SEED),1) codec xprtrdma:$(or $(MUTANTS),100) \
		svcrdma:$(or $(MUTANTS),100)

compare: ## The codec against rpcgen's: the same headers both ways, and the cost of one
	@scripts/setup check
	@scripts/bench/codec/run compare
	@scripts/bench/codec/run cost

dissector: ## The Wireshark dissector of version 2, on captures made for that
	@scripts/setup check
	@scripts/check/dissector

fuzz: ## The header decoders under libFuzzer, for FUZZ_SECONDS=60
	@scripts/setup check
	@scripts/fuzz/codec/run $(or $(FUZZ_SECONDS),60)

fuzz-guest: ## Both sides against hostile peers in guests, each for FUZZ_SECONDS=60 (FUZZ_SEED=1)
	@scripts/setup check
	@scripts/build uml
	@scripts/fuzz/run --seconds $(or $(FUZZ_SECONDS),60) --seed $(or $(FUZZ_SEED),1)

kunit: ## Only the KUnit suites, in User Mode Linux (SUITES="svc_sq xprt_reply*" chooses)
	@scripts/setup uml
	@scripts/check/kunit $(foreach suite,$(SUITES),'$(suite)')

echo: ## Only the echo suite: both transports in one kernel, over soft-RoCE
	@scripts/setup uml
	@scripts/check/echo

guest-uml: ## Only the guest tests in User Mode Linux (TESTS="nfs-v3 ipv6" chooses)
	@scripts/setup check
	@scripts/build uml
	@scripts/tests/run --kernel uml $(TESTS)

guest-x86: ## Only the guest tests on the stock kernel in QEMU (TESTS= chooses)
	@scripts/setup check
	@scripts/build x86
	@scripts/tests/run --kernel x86 $(TESTS)

guest-reclaim: ## Clients short of memory: writeback and a swap file on the mount, in QEMU (long)
	@scripts/setup check
	@scripts/build x86
	@scripts/tests/run --kernel x86 --jobs 1 $(or $(TESTS),'reclaim-*')

guest-damage: ## Two guests whose link loses, damages, delays and reorders packets: reconnections, stalls
	@scripts/setup check
	@scripts/build uml
	@scripts/tests/run --kernel uml --slow 3 pair-damage

vmtest-debug: ## KUnit, echo and guest tests under KASAN, lockdep, UBSAN, kmemleak (long)
	@scripts/setup check uml-debug
	@scripts/build uml-debug
	@scripts/check/kunit --kernel uml-debug --no-build
	@scripts/check/echo --kernel uml-debug --no-build
	@scripts/tests/run --kernel uml-debug $(TESTS)

# Emulation takes ten times as long: what has most to do with concurrency.
SMP_TESTS = fault-disconnect link-down nfs-v3 nfs-v42 nconnect-4 server-restart \
	delegation-recall module-busy

vmtest-smp: ## Echo and some guest tests on two processors, under the sanitizers, in QEMU (long)
	@scripts/setup check x86-debug
	@scripts/build x86-debug
	@scripts/check/echo --kernel x86-debug --no-build
	@scripts/tests/run --kernel x86-debug --jobs 1 $(or $(TESTS),$(SMP_TESTS))

coverage: ## Which lines of the modules all these execute: build/coverage/html (long)
	@scripts/setup check uml-debug
	@scripts/coverage $(RUNS)

##@ Preparing
.PHONY: setup uml uml-debug x86-debug

setup: ## Install missing packages and build the UML kernel (the others call what they need)
	@scripts/setup check

uml: ## Build the User Mode Linux kernel into the cache
	@scripts/setup uml

uml-debug: ## Build the UML kernel with KASAN, lockdep, UBSAN, kmemleak into the cache
	@scripts/setup uml-debug

x86-debug: ## Build the x86-64 kernel for two processors, with the same, into the cache
	@scripts/setup x86-debug

##@ Help
.PHONY: help
help: ## Show this text
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z0-9-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo 'Variables'
	@echo '  DIRS="codec svcrdma"   build only these folders'
	@echo '  KVER=, DESTDIR=        kernel release; root to install to'
	@echo '  W=1 V=1 KFLAGS=        passed on to kbuild'
	@echo '  TESTS=, RUNS=          choose guest tests; parts of coverage'
	@echo '  MUTANTS=, SEED=        how many mutants of each transport; which'
	@echo '  RPCRDMA_CACHE=         where kernels are kept (~/.cache/rpcrdma)'
	@echo 'scripts/vm/run and scripts/vm/pair run any script in guests; see their --help.'
