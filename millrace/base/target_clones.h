// MR_TARGET_CLONES: compiles a function for baseline x86-64, AVX2 and AVX-512.
//
// The loader binds the best version that the machine supports, so a call costs
// as much as a call through a pointer. For functions with a loop over many
// elements: plain C++ that the compiler vectorises, with `#pragma GCC ivdep` in
// front of the loop where the output may be one of the inputs.
#pragma once

// Sanitizers are not initialized yet when the loader binds. Our own builds with
// sanitizers define MILLRACE_SANITIZED, since they undefine
// __SANITIZE_THREAD__.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(MILLRACE_SANITIZED) && !defined(__SANITIZE_ADDRESS__) &&  \
    !defined(__SANITIZE_THREAD__)
#define MR_TARGET_CLONES \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define MR_TARGET_CLONES
#endif
