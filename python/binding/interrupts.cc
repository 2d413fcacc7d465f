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

#include "python/binding/gil.h"

namespace nb = nanobind;

namespace millrace::python {
namespace {

// Written by the signal's handler.
std::atomic<int> wake_fd{-1};
struct sigaction python_action;
std::atomic<pid_t> threads_pid{0};
std::atomic<unsigned long> main_thread{0};  // its number; 0: not known yet

// The main thread's calls without the GIL, numbered as they began.
struct Call {
  uint64_t number;
  CancelScope* scope;
};
std::mutex calls_mu;
std::vector<Call>& Calls() {
  static auto& all = *new std::vector<Call>;
  return all;
}
std::atomic<uint64_t> last_call{0};

void OnInterrupt(int number, siginfo_t* info, void* context) {
  const int fd = wake_fd.load();
  const int before = errno;
  // Calls that begin later are not meant, such as those by which a program
  // saves its work when it is interrupted.
  const uint64_t last = last_call.load();
  if (fd >= 0 && write(fd, &last, sizeof(last)) < 0) {
    // Nothing to do: the pipe is full of such numbers.
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
  WithGil locked;
  bool raises = true;
  try {
    nb::module_ signal = nb::module_::import_("signal");
    raises =
        signal.attr("getsignal")(SIGINT).is(signal.attr("default_int_handler"));
  } catch (nb::python_error& e) {
    e.discard_as_unraisable("interrupt");
  }
  return raises;
}

void* Watch(void* argument) {
  const int fd = static_cast<int>(reinterpret_cast<intptr_t>(argument));
  uint64_t last = 0;
  for (;;) {
    const ssize_t bytes = read(fd, &last, sizeof(last));
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes != sizeof(last)) return nullptr;
    {
      std::lock_guard lock(calls_mu);
      if (Calls().empty()) continue;
    }
    if (!Py_IsInitialized() || IsEnding() || !RaisesInterrupt()) continue;
    std::lock_guard lock(calls_mu);
    for (const Call& call : Calls()) {
      if (call.number > last) continue;
      call.scope->Cancel(Cancelled("interrupted by a signal"));
    }
  }
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
  unsigned long known = main_thread.load();
  if (known == 0) {
    // Several threads may do this at once: one that waited for another would
    // keep the GIL, for which that one may wait here.
    nb::object thread = nb::module_::import_("threading").attr("main_thread")();
    known = nb::cast<unsigned long>(thread.attr("ident"));
    main_thread = known;
  }
  return PyThread_get_thread_ident() == known;
}

Interruptible::Interruptible(CancelScope* scope)
    : scope_(IsMainThread() ? scope : nullptr) {
  if (!scope_) return;
  Install();
  {
    std::lock_guard lock(calls_mu);
    Calls().push_back({last_call.load() + 1, scope_});
  }
  ++last_call;
  // A signal before this does not mean this call.
  if (PyErr_CheckSignals() == 0) return;
  Remove();
  throw nb::python_error();
}

Interruptible::~Interruptible() {
  if (scope_) Remove();
}

void Interruptible::Remove() {
  std::lock_guard lock(calls_mu);
  std::erase_if(Calls(), [&](const Call& c) { return c.scope == scope_; });
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
