#include "tests/gpu/standin/fiber.h"

#include <pthread.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

#ifndef __x86_64__
#error "Fibers switch stacks by instructions of x86-64."
#endif

// Saves the registers that a function keeps, and the stack pointer at *rdi;
// goes on with the stack rsi.
asm(R"(
.text
.p2align 4
.type millrace_standin_switch, @function
millrace_standin_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size millrace_standin_switch, .-millrace_standin_switch

.type millrace_standin_begin, @function
millrace_standin_begin:
  movq %r12, %rdi
  call *%r13
  ud2
.size millrace_standin_begin, .-millrace_standin_begin
)");

extern "C" {
void millrace_standin_switch(void** from, void* to);
void millrace_standin_begin();
}

namespace millrace::cuda::standin {
namespace {

constexpr size_t kGuardBytes = 4096;
#ifdef __SANITIZE_ADDRESS__
constexpr size_t kStackBytes = 256 << 10;
#else
constexpr size_t kStackBytes = 64 << 10;
#endif

}  // namespace

// The first function on a new stack.
void BeginFiber(Fiber* fiber) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
  fiber->main_(fiber->argument_);
  std::abort();
}

Fiber::Fiber() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) std::abort();
  pthread_attr_getstack(&attributes, &bottom_, &bytes_);
  pthread_attr_destroy(&attributes);
#ifdef __SANITIZE_THREAD__
  thread_state_ = __tsan_get_current_fiber();
#endif
}

Fiber::Fiber(void (*main)(void*), void* argument)
    : bytes_(kStackBytes), main_(main), argument_(argument) {
  void* mapping = mmap(nullptr, kGuardBytes + kStackBytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) std::abort();
  mapping_ = static_cast<char*>(mapping);
  bottom_ = mapping_ + kGuardBytes;
  if (mprotect(bottom_, kStackBytes, PROT_READ | PROT_WRITE) != 0) std::abort();
  auto* top = reinterpret_cast<uint64_t*>(mapping_ + kGuardBytes + kStackBytes);
  // What millrace_standin_switch takes from the stack, from its end on.
  *--top = 0;
  *--top = 0;  // the stack that millrace_standin_begin sees ends on 16 bytes
  *--top = reinterpret_cast<uint64_t>(&millrace_standin_begin);
  *--top = 0;                                        // rbp
  *--top = 0;                                        // rbx
  *--top = reinterpret_cast<uint64_t>(this);         // r12
  *--top = reinterpret_cast<uint64_t>(&BeginFiber);  // r13
  *--top = 0;                                        // r14
  *--top = 0;                                        // r15
  stack_pointer_ = top;
#ifdef __SANITIZE_THREAD__
  thread_state_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
  if (mapping_ == nullptr) return;
#ifdef __SANITIZE_ADDRESS__
  // Its functions may not have ended, and so left marks.
  __asan_unpoison_memory_region(bottom_, bytes_);
#endif
#ifdef __SANITIZE_THREAD__
  __tsan_destroy_fiber(thread_state_);
#endif
  munmap(mapping_, kGuardBytes + kStackBytes);
}

void Fiber::HandOver(Fiber& to) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&fake_stack_, to.bottom_, to.bytes_);
#endif
#ifdef __SANITIZE_THREAD__
  __tsan_switch_to_fiber(to.thread_state_, 0);
#endif
  millrace_standin_switch(&stack_pointer_, to.stack_pointer_);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake_stack_, nullptr, nullptr);
#endif
}

}  // namespace millrace::cuda::standin
