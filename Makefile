# SPDX-License-Identifier: GPL-2.0-only
#
# A wrapper around the scripts; "make help" says what each target does.
# (The modules' own makefile is Kbuild.)

SHELL := /bin/bash
DIRS ?= codec xprtrdma svcrdma kunit
export DIRS KVER BUILD V W

.PHONY: all
all: modules

##@ Building
.PHONY: modules modules-uml modules-uml-debug clean

modules: ## Build the modules for the stock kernel (KVER=...) into build/x86/
	@scripts/build x86 $(KFLAGS)

modules-uml: ## Build the modules and KUnit suites for User Mode Linux into build/uml/
	@scripts/build uml $(KFLAGS)

modules-uml-debug: ## The same for the debug kernel (sanitizers) into build/uml-debug/
	@scripts/build uml-debug $(KFLAGS)

clean: ## Remove build/ (the cached kernels stay)
	rm -rf $(or $(BUILD),build)

##@ Help
.PHONY: help
help: ## Show this text
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z0-9-]+:.*## / { printf "  %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo 'Variables: DIRS="codec svcrdma" builds only some folders; KVER= the stock'
	@echo 'kernel release; W=1, V=1 and KFLAGS= are passed to kbuild.'
