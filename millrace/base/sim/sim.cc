#include "millrace/base/sim/sim.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "millrace/base/check.h"
#include "millrace/base/sim/sim_scheduler.h"

namespace millrace {

using internal::current_sim_thread;
using internal::SimThread;

namespace {

// One world at a time: state that a process shares (logging, static tables)
// would otherwise make the order of one world depend on the other.
constinit std::mutex run_mu;

SimWorld::Impl& CurrentWorld() {
  MR_CHECK(current_sim_thread, "only for threads of a simulation");
  return *current_sim_thread->world;
}

}  // namespace

SimWorld::SimWorld(SimOptions options) : impl_(new Impl(options)) {
  impl_->world = this;
}

SimWorld::~SimWorld() {
  // The parked threads of a failed run still refer to it.
  if (!impl_->failed) delete impl_;
}

SimResult SimWorld::Run(absl::AnyInvocable<void()> main) {
  MR_CHECK(!current_sim_thread, "a simulation inside a simulation");
  MR_CHECK(impl_->threads.empty(), "a world runs once");
  std::lock_guard<std::mutex> one_at_a_time(run_mu);
  Impl* impl = impl_;
  const std::shared_ptr<Impl::End> end = impl->end;
  SimThread* first =
      impl->AddThread("main", 0, [impl, main = std::move(main)]() mutable {
        main();
        main = nullptr;
        // Otherwise the threads of a frozen process could not be joined.
        for (Impl::Process& process : impl->processes) process.frozen = false;
        impl->CountFrozen();
        while (!impl->locals.empty()) {
          // Destroyed after it is out of the list: its destructor may ask for
          // others.
          std::shared_ptr<void> object = std::move(impl->locals.back().object);
          impl->locals.pop_back();
          object.reset();
        }
      });
  impl->Start(first);
  std::unique_lock<std::mutex> lock(end->mu);
  while (!end->over) end->changed.wait(lock);
  SimResult result;
  result.status = end->status;
  result.seed = impl->options.seed;
  result.hash = impl->hash;
  result.events = impl->events;
  result.virtual_nanos = impl->now - Impl::kStartNanos;
  if (!result.status.ok()) result.trace = impl->TraceLines();
  return result;
}

SimWorld* SimWorld::Current() {
  return current_sim_thread ? current_sim_thread->world->world : nullptr;
}

const SimOptions& SimWorld::options() const { return impl_->options; }
uint64_t SimWorld::hash() const { return impl_->hash; }

SimProcess SimWorld::AddProcess(absl::string_view name) {
  impl_->processes.push_back({.name = std::string(name)});
  return static_cast<SimProcess>(impl_->processes.size()) - 1;
}

SimProcess SimWorld::CurrentProcess() const { return CurrentSimProcess(); }

const std::string& SimWorld::ProcessName(SimProcess process) const {
  return impl_->processes.at(process).name;
}

void SimWorld::Freeze(SimProcess process) {
  FreezeUntil(process, Deadline::Infinite().nanos());
}

void SimWorld::FreezeUntil(SimProcess process, int64_t thaw_nanos) {
  impl_->processes.at(process).frozen = true;
  impl_->processes.at(process).thaw_nanos = thaw_nanos;
  impl_->RecordText(absl::StrCat("freeze ", impl_->processes[process].name));
  impl_->CountFrozen();
  if (CurrentWorld().Self()->process == process) internal::SimSwitch("freeze");
}

void SimWorld::Thaw(SimProcess process) {
  impl_->processes.at(process).frozen = false;
  impl_->RecordText(absl::StrCat("thaw ", impl_->processes[process].name));
  impl_->CountFrozen();
}

bool SimWorld::IsFrozen(SimProcess process) const {
  return impl_->processes.at(process).frozen;
}

void* SimWorld::Local(const void* key, SimProcess process,
                      absl::FunctionRef<std::shared_ptr<void>()> make) {
  for (const Impl::Local& local : impl_->locals) {
    if (local.key == key && local.process == process) {
      return local.object.get();
    }
  }
  std::shared_ptr<void> object = make();
  void* result = object.get();
  impl_->locals.push_back({key, process, std::move(object)});
  return result;
}

SimProcessScope::SimProcessScope(SimProcess process)
    : world_(SimWorld::Current()) {
  if (world_) {
    MR_CHECK(process >= 0 &&
                 static_cast<size_t>(process) < world_->impl_->processes.size(),
             "no simulated process has the number ", process);
    previous_ = std::exchange(current_sim_thread->process, process);
  }
}

SimProcessScope::~SimProcessScope() {
  if (world_) current_sim_thread->process = previous_;
}

uint64_t SimRandom(uint64_t n) {
  return current_sim_thread ? CurrentWorld().rng.Uniform(n) : 0;
}

void RecordEvent(absl::string_view text) {
  if (current_sim_thread) CurrentWorld().RecordText(text);
}

SimProcess CurrentSimProcess() {
  return current_sim_thread ? current_sim_thread->process : 0;
}

std::string SimResult::Report() const {
  return absl::StrFormat(
      "simulation with seed %d: %s\n%d events, hash %016x, %.6f virtual "
      "seconds\n%s",
      seed, status.ToString(), events, hash, virtual_nanos * 1e-9,
      absl::StrJoin(trace, "\n"));
}

}  // namespace millrace
