// Signals that code of a kernel causes end the kernel.
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "tests/gpu/standin/arena.h"
#include "tests/gpu/standin/grid.h"

namespace millrace::cuda::standin {
namespace {

struct Fault {
  int signal;
  int error;  // of the driver
  const char* what;
  struct sigaction before;
};
Fault all_faults[] = {
    {SIGSEGV, 700, "access to an address that is not on the device", {}},
    {SIGBUS, 700, "access to an address that is not on the device", {}},
    {SIGFPE,
     719,
     "integer division by zero, whose result GPUs do not define",
     {}},
    {SIGILL, 716, "misaligned access", {}},
};

void Write(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

// Runs on the fiber of the kernel, in place of what it would have done next.
[[noreturn]] void EndKernel(int error) { BlockRunner::Running()->Fail(error); }

void OnSignal(int signal, siginfo_t* info, void* context) {
  for (Fault& fault : all_faults) {
    if (fault.signal != signal) continue;
    if (BlockRunner::Running() != nullptr) {
      char text[160];
      std::snprintf(text, sizeof(text), "stand-in: %s in a kernel, at %p\n",
                    fault.what, info->si_addr);
      Write(text);
      auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
      // Below what the function may use under its stack pointer, as behind a
      // call.
      registers[REG_RSP] = ((registers[REG_RSP] - 256) & ~15ll) - 8;
      registers[REG_RIP] = reinterpret_cast<greg_t>(&EndKernel);
      registers[REG_RDI] = fault.error;
      return;
    }
    if (IsDeviceAddress(info->si_addr)) {
      Write("stand-in: the host accesses memory of a device\n");
    }
    if (fault.before.sa_flags & SA_SIGINFO) {
      fault.before.sa_sigaction(signal, info, context);
    } else if (fault.before.sa_handler != SIG_DFL &&
               fault.before.sa_handler != SIG_IGN) {
      fault.before.sa_handler(signal);
    } else {
      // The instruction is run again, and ends the process.
      sigaction(signal, &fault.before, nullptr);
    }
    return;
  }
}

}  // namespace

void HandleFaults() {
  static const bool once = [] {
    for (Fault& fault : all_faults) {
      struct sigaction action;
      std::memset(&action, 0, sizeof(action));
      action.sa_sigaction = &OnSignal;
      action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
      sigaction(fault.signal, &action, &fault.before);
    }
    return true;
  }();
  (void)once;
}

}  // namespace millrace::cuda::standin
