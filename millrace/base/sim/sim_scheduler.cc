#include "millrace/base/sim/sim_scheduler.h"

#include <pthread.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "millrace/base/check.h"
#include "millrace/base/threads/futex.h"
#include "millrace/base/threads/wait.h"

namespace millrace {
namespace internal {

constinit thread_local SimThread* current_sim_thread = nullptr;

namespace {

constinit std::mutex os_mu;
constinit OsThread* os_idle = nullptr;  // a list, guarded by os_mu
constinit std::atomic<uint64_t> next_world_id{1};

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15;
  return hash ^ (hash >> 32);
}

// Threads of failed runs stay parked; this keeps the objects that they use
// reachable.
void KeepForEver(SimWorld::Impl* impl) {
  static std::vector<SimWorld::Impl*>* kept = new std::vector<SimWorld::Impl*>;
  std::lock_guard<std::mutex> lock(os_mu);
  kept->push_back(impl);
}

}  // namespace

void OsThread::Give() {
  baton.store(1, std::memory_order_release);
  FutexWake(&baton);
}

void OsThread::Await() {
  while (baton.exchange(0, std::memory_order_acquire) == 0) {
    FutexWait(&baton, 0);
  }
}

OsThread* OsThread::Take(absl::AnyInvocable<void()> job) {
  OsThread* os = nullptr;
  {
    std::lock_guard<std::mutex> lock(os_mu);
    os = os_idle;
    if (os) os_idle = os->next_idle;
  }
  if (os) {
    os->job = std::move(job);
    return os;
  }
  os = new OsThread;
  os->job = std::move(job);
  std::thread([os] {
    while (true) {
      os->Await();
      os->job();
      os->job = nullptr;
      std::lock_guard<std::mutex> lock(os_mu);
      os->next_idle = os_idle;
      os_idle = os;
    }
  }).detach();
  return os;
}

void SimSwitch(const char* what) {
  SimThread* self = current_sim_thread;
  self->world->Record(SimWorld::Impl::kSwitch, self->id, what);
  self->state = SimThread::kRunnable;
  self->world->runnable.push_back(self);
  self->world->Switch(self);
}

void SimMaybeSwitch(const char* what) {
  SimWorld::Impl* world = current_sim_thread->world;
  if (world->rng.Double() < world->options.lock_switch_probability) {
    SimSwitch(what);
  }
}

bool SimBlock(const void* object, const char* what, Deadline deadline,
              const std::atomic<uint64_t>* owner) {
  SimThread* self = current_sim_thread;
  SimWorld::Impl* world = self->world;
  world->Record(SimWorld::Impl::kBlock, self->id, what);
  self->state = SimThread::kBlocked;
  self->object = object;
  self->waits_for = what;
  self->owner = owner;
  self->deadline = deadline.nanos();
  self->timed_out = false;
  if (object) world->waiters[object].push_back(self);
  if (!deadline.infinite()) {
    world->deadlines.emplace(deadline.nanos(), self->id);
  }
  world->Switch(self);
  return self->timed_out;
}

void SimWakeOne(const void* object) {
  SimWorld::Impl* world = current_sim_thread->world;
  const auto it = world->waiters.find(object);
  if (it == world->waiters.end()) return;
  const std::vector<SimThread*>& waiting = it->second;
  world->Wake(waiting[world->rng.Uniform(waiting.size())]);
}

void SimWakeAll(const void* object) {
  SimWorld::Impl* world = current_sim_thread->world;
  // Waking the last waiter erases the entry.
  for (auto it = world->waiters.find(object); it != world->waiters.end();
       it = world->waiters.find(object)) {
    world->Wake(it->second.front());
  }
}

bool SimSpurious() {
  SimWorld::Impl* world = current_sim_thread->world;
  return world->rng.Double() < world->options.spurious_wakeup_probability;
}

int64_t SimNow() { return current_sim_thread->world->now; }
uint64_t SimSeed() { return current_sim_thread->world->options.seed; }
uint64_t SimBits() { return current_sim_thread->world->rng(); }
uint64_t SimWorldId() {
  return current_sim_thread ? current_sim_thread->world->id : 0;
}
void SimTrace(absl::string_view line) {
  current_sim_thread->world->Keep(SimWorld::Impl::kLogged,
                                  current_sim_thread->id, line);
}
bool SimLogsToStderr() {
  return current_sim_thread->world->options.log_to_stderr;
}

SimThread* SimStartThread(absl::string_view name,
                          absl::AnyInvocable<void()> body) {
  SimThread* self = current_sim_thread;
  return self->world->AddThread(name, self->process, std::move(body));
}

void SimJoin(SimThread* thread) {
  while (thread->state != SimThread::kFinished) {
    const std::atomic<uint64_t> joined{reinterpret_cast<uint64_t>(thread) | 1};
    SimBlock(thread, "the end of a thread", Deadline::Infinite(), &joined);
  }
}

const std::string& SimThreadName() { return current_sim_thread->name; }
int64_t SimThreadId() { return current_sim_thread->id; }

}  // namespace internal

using internal::current_sim_thread;

SimWorld::Impl::Impl(const SimOptions& o)
    : id(internal::next_world_id.fetch_add(1)),
      options(o),
      rng(internal::Mix(o.seed, 0x5117)),
      hash(internal::Mix(o.seed, 1)) {}

internal::SimThread* SimWorld::Impl::AddThread(
    absl::string_view name, SimProcess process,
    absl::AnyInvocable<void()> body) {
  threads.push_back(std::make_unique<SimThread>());
  SimThread* t = threads.back().get();
  t->world = this;
  t->id = static_cast<int>(threads.size()) - 1;
  t->name = std::string(name);
  t->process = process;
  t->body = std::move(body);
  t->os = internal::OsThread::Take([t] {
    current_sim_thread = t;
    pthread_setname_np(pthread_self(), t->name.substr(0, 15).c_str());
    t->body();
    t->body = nullptr;
    t->world->Finish(t);
  });
  ++live;
  Record(kStart, t->id, name);
  runnable.push_back(t);
  return t;
}

void SimWorld::Impl::Start(SimThread* first) {
  runnable.clear();
  first->state = SimThread::kRunning;
  first->os->Give();
}

void SimWorld::Impl::Finish(SimThread* self) {
  Record(kFinish, self->id);
  self->state = SimThread::kFinished;
  internal::SimWakeAll(self);
  if (--live == 0) {
    current_sim_thread = nullptr;
    EndRun(OkStatus());
    return;
  }
  Switch(self);
  current_sim_thread = nullptr;
}

void SimWorld::Impl::Switch(SimThread* self) {
  SimThread* next = PickNext();
  if (next == self) return;
  // Once the baton is passed, `self` may continue at any moment.
  const bool finished = self->state == SimThread::kFinished;
  internal::OsThread* mine = self->os;
  next->os->Give();
  if (!finished) mine->Await();
}

internal::SimThread* SimWorld::Impl::PickNext() {
  now += options.nanos_per_switch;
  while (true) {
    WakeDue();
    size_t chosen = runnable.size();
    if (frozen == 0) {
      if (!runnable.empty()) chosen = rng.Uniform(runnable.size());
    } else {
      std::vector<size_t> able;
      for (size_t i = 0; i < runnable.size(); ++i) {
        if (!processes[runnable[i]->process].frozen) able.push_back(i);
      }
      if (!able.empty()) chosen = able[rng.Uniform(able.size())];
    }
    if (chosen < runnable.size()) {
      SimThread* next = runnable[chosen];
      runnable[chosen] = runnable.back();
      runnable.pop_back();
      next->state = SimThread::kRunning;
      Record(kRun, next->id);
      return next;
    }
    const int64_t next_time = NextTime();
    if (next_time == std::numeric_limits<int64_t>::max()) {
      Fail(
          Internal("Deadlock in a simulation: no thread can run and none has "
                   "a deadline. ",
                   DescribeThreads()));
    }
    if (next_time - kStartNanos > options.max_virtual_nanos) {
      Fail(ResourceExhausted("A simulation passed its limit of virtual time, ",
                             options.max_virtual_nanos / 1'000'000'000, " s. ",
                             DescribeThreads()));
    }
    now = std::max(now, next_time);
  }
}

void SimWorld::Impl::WakeDue() {
  while (!deadlines.empty() && deadlines.begin()->first <= now) {
    SimThread* thread = threads[deadlines.begin()->second].get();
    Record(kTimeout, thread->id);
    MakeRunnable(thread);
    thread->timed_out = true;
  }
  if (frozen == 0) return;
  for (Process& process : processes) {
    if (process.frozen && process.thaw_nanos <= now) process.frozen = false;
  }
  CountFrozen();
}

void SimWorld::Impl::Wake(SimThread* thread) {
  Record(kWake, thread->id);
  MakeRunnable(thread);
}

void SimWorld::Impl::MakeRunnable(SimThread* thread) {
  if (thread->object) {
    auto it = waiters.find(thread->object);
    it->second.erase(std::find(it->second.begin(), it->second.end(), thread));
    if (it->second.empty()) waiters.erase(it);
  }
  deadlines.erase({thread->deadline, thread->id});
  thread->object = nullptr;
  thread->owner = nullptr;
  thread->state = SimThread::kRunnable;
  runnable.push_back(thread);
}

void SimWorld::Impl::CountFrozen() {
  frozen = static_cast<int>(
      std::count_if(processes.begin(), processes.end(),
                    [](const Process& p) { return p.frozen; }));
}

int64_t SimWorld::Impl::NextTime() const {
  int64_t next = std::numeric_limits<int64_t>::max();
  if (!deadlines.empty()) next = deadlines.begin()->first;
  for (const Process& p : processes) {
    if (p.frozen) next = std::min(next, p.thaw_nanos);
  }
  return next;
}

void SimWorld::Impl::Record(Kind kind, int thread, absl::string_view text) {
  hash = internal::Mix(hash, kind);
  hash = internal::Mix(hash, thread);
  hash = internal::Mix(hash, now);
  Keep(kind, thread, text);
  if (++events == options.max_events) {
    if (!current_sim_thread) return;  // the first thread, not yet running
    Fail(ResourceExhausted("A simulation passed its limit of ",
                           options.max_events, " events. ", DescribeThreads()));
  }
}

void SimWorld::Impl::RecordText(absl::string_view text) {
  for (const char c : text) hash = internal::Mix(hash, static_cast<uint8_t>(c));
  Record(kText, current_sim_thread->id, text);
}

void SimWorld::Impl::Keep(Kind kind, int thread, absl::string_view text) {
  if (options.trace_limit == 0) return;
  if (trace.size() >= options.trace_limit) trace.pop_front();
  trace.push_back({kind, thread, now, std::string(text)});
}

std::vector<std::string> SimWorld::Impl::TraceLines() const {
  static constexpr const char* kNames[] = {
      "starts",    "runs", "waits for", "woken", "timed out",
      "switches:", "ends", "event",     "log"};
  std::vector<std::string> lines;
  lines.reserve(trace.size());
  for (const Event& e : trace) {
    const SimThread& t = *threads[e.thread];
    lines.push_back(absl::StrFormat(
        "%14.9f %s/%s#%d %s %s", (e.nanos - kStartNanos) * 1e-9,
        processes[t.process].name, t.name, t.id, kNames[e.kind], e.text));
  }
  return lines;
}

void SimWorld::Impl::EndRun(Status status) {
  // After `over` the world may be gone: hold a reference to what is touched.
  const std::shared_ptr<End> shared = end;
  std::lock_guard<std::mutex> lock(shared->mu);
  shared->status = std::move(status);
  shared->over = true;
  shared->changed.notify_all();
}

void SimWorld::Impl::Fail(Status status) {
  failed = true;
  internal::KeepForEver(this);
  internal::OsThread* os = current_sim_thread->os;
  EndRun(std::move(status));
  while (true) os->Await();
}

std::string SimWorld::Impl::DescribeThreads() const {
  const std::vector<WaitInfo> waits = ListWaits();
  std::vector<std::string> parts;
  for (const auto& t : threads) {
    if (t->state == SimThread::kFinished) continue;
    std::string text = absl::StrCat("thread '", t->name, "' #", t->id);
    if (t->process != 0) {
      absl::StrAppend(&text, " of process '", processes[t->process].name, "'");
    }
    if (processes[t->process].frozen) absl::StrAppend(&text, " (frozen)");
    if (t->state == SimThread::kBlocked) {
      absl::StrAppend(&text, " waits for ", t->waits_for);
      const uint64_t owner = t->owner ? t->owner->load() : 0;
      if (owner & 1) {
        const auto* o =
            reinterpret_cast<const SimThread*>(owner & ~uint64_t{1});
        absl::StrAppend(&text, " of '", o->name, "' #", o->id);
      }
    } else {
      absl::StrAppend(&text, " can run");
    }
    for (const WaitInfo& wait : waits) {
      if (wait.thread_id == t->id) absl::StrAppend(&text, " [", wait.what, "]");
    }
    parts.push_back(std::move(text));
  }
  return absl::StrCat(parts.size(),
                      " threads have not ended: ", absl::StrJoin(parts, "; "));
}

}  // namespace millrace
