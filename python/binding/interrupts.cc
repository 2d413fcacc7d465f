#include "python/binding/interrupts.h"

#include <Python.h>
#include <fcntl.h>
#include <nanobind/nanobind.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <vector>

namespace nb = nanobind;

namespace millrace::python {
namespace {

// Written by the signal's handler.
std::atomic<int> wake_fd{-1};
struct sigaction python_action;
std::atomic<pid_t> threads_pid{0};

std::mutex scopes_mu;
std::vector<CancelScope*>& Scopes() {
  static auto& all = *new std::vector<CancelScope*>;
  return all;
}

void OnInterrupt(int number, siginfo_t* info, void* context) {
  const int fd = wake_fd.load();
  const int before = errno;
  if (fd >= 0 && write(fd, "i", 1) < 0) {
    // Nothing to do: the pipe is full of such bytes.
  }
  errno = before;
  if (python_action.sa_flags & SA_SIGINFO) {
    python_action.sa_sigaction(number, info, context);
  } else if (python_action.sa_handler != SIG_DFL &&
             python_action.sa_handler != SIG_IGN) {
    python_action.sa_handler(number);
  }
}

// Whether Python would raise KeyboardInterrupt; a program with a handler of its
// own decides itself.
bool RaisesInterrupt() {
  PyGILState_STATE state = PyGILState_Ensure();
  bool raises = true;
  try {
    nb::module_ signal = nb::module_::import_("signal");
    raises =
        signal.attr("getsignal")(SIGINT).is(signal.attr("default_int_handler"));
  } catch (nb::python_error& e) {
    e.discard_as_unraisable("interrupt");
  }
  PyGILState_Release(state);
  return raises;
}

void* Watch(void* argument) {
  const int fd = static_cast<int>(reinterpret_cast<intptr_t>(argument));
  char byte;
  while (read(fd, &byte, 1) == 1 || errno == EINTR) {
    {
      std::lock_guard lock(scopes_mu);
      if (Scopes().empty()) continue;
    }
    if (!Py_IsInitialized() || !RaisesInterrupt()) continue;
    std::lock_guard lock(scopes_mu);
    for (CancelScope* scope : Scopes())
      scope->Cancel(Cancelled("interrupted by a signal"));
  }
  return nullptr;
}

bool StartWatch() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  fcntl(fds[0], F_SETFL, 0);  // the reader waits
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool started =
      pthread_create(&thread, nullptr, Watch,
                     reinterpret_cast<void*>(static_cast<intptr_t>(fds[0]))) ==
      0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!started) return false;
  pthread_detach(thread);
  wake_fd = fds[1];
  return true;
}

// Puts our handler before Python's, again whenever the program has set another
// one.
void Install() {
  static const bool watching = StartWatch();
  if (!watching) return;
  struct sigaction current;
  if (sigaction(SIGINT, nullptr, &current) != 0) return;
  if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == OnInterrupt)
    return;
  if (!(current.sa_flags & SA_SIGINFO) &&
      (current.sa_handler == SIG_DFL || current.sa_handler == SIG_IGN))
    return;
  python_action = current;
  struct sigaction ours = {};
  ours.sa_sigaction = OnInterrupt;
  ours.sa_flags = SA_SIGINFO | (current.sa_flags & SA_RESTART);
  ours.sa_mask = current.sa_mask;
  sigaction(SIGINT, &ours, nullptr);
}

}  // namespace

bool IsMainThread() {
  static const unsigned long main_thread = [] {
    nb::object thread = nb::module_::import_("threading").attr("main_thread")();
    return nb::cast<unsigned long>(thread.attr("ident"));
  }();
  return PyThread_get_thread_ident() == main_thread;
}

Interruptible::Interruptible(CancelScope* scope)
    : scope_(IsMainThread() ? scope : nullptr) {
  if (!scope_) return;
  Install();
  std::lock_guard lock(scopes_mu);
  Scopes().push_back(scope_);
}

Interruptible::~Interruptible() {
  if (!scope_) return;
  std::lock_guard lock(scopes_mu);
  std::erase(Scopes(), scope_);
}

void Interruptible::RaisePending() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

bool IsForked() {
  const pid_t started = threads_pid.load();
  return started != 0 && started != getpid();
}

void CheckFork() {
  if (!IsForked()) return;
  PyErr_SetString(PyExc_RuntimeError,
                  "This process was forked after its parent had used a session "
                  "or a server, whose threads it does not have. "
                  "Start processes by multiprocessing's 'spawn', "
                  "multiprocessing.set_start_method(\"spawn\"), or before the "
                  "first session.");
  throw nb::python_error();
}

void ThreadsStarted() {
  if (threads_pid.load() == 0) threads_pid = getpid();
}

}  // namespace millrace::python
