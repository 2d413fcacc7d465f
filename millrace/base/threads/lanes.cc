#include "millrace/base/threads/lanes.h"

#include <atomic>
#include <mutex>

#include "millrace/base/check.h"
#include "millrace/base/sim/sim.h"

namespace millrace {
namespace {

constinit std::mutex process_mu;
constinit std::atomic<Lanes*> process_lanes{nullptr};
LanesOptions process_options;  // guarded by process_mu
constexpr char kLanesKey = 0;

int OrCores(int threads) { return threads > 0 ? threads : UsableCores(); }

}  // namespace

Lanes::Lanes(const LanesOptions& options)
    : timer("timer"),
      control("control", 2),
      messages("messages", 2),
      inter_op("inter-op", {.threads = OrCores(options.inter_op_threads),
                            .flush_denormals = true}),
      intra_op("intra-op", OrCores(options.intra_op_threads), &inter_op),
      blocking("blocking", {.threads = options.blocking_threads,
                            .max_queued = options.blocking_queue}) {}

Lanes::~Lanes() { timer.Stop(); }

Lanes& Lanes::Process() {
  if (SimWorld* world = SimWorld::Current()) {
    // The number of threads is the same on every machine; otherwise a seed
    // would mean a different run there.
    void* lanes = world->Local(&kLanesKey, world->CurrentProcess(), [] {
      return std::make_shared<Lanes>(LanesOptions{
          .inter_op_threads = 2, .intra_op_threads = 1, .blocking_threads = 2});
    });
    return *static_cast<Lanes*>(lanes);
  }
  Lanes* lanes = process_lanes.load(std::memory_order_acquire);
  if (lanes) return *lanes;
  std::lock_guard<std::mutex> lock(process_mu);
  lanes = process_lanes.load(std::memory_order_relaxed);
  if (!lanes) {
    lanes = new Lanes(process_options);
    process_lanes.store(lanes, std::memory_order_release);
  }
  return *lanes;
}

void Lanes::SetProcessOptions(const LanesOptions& options) {
  std::lock_guard<std::mutex> lock(process_mu);
  MR_CHECK(!process_lanes.load(std::memory_order_relaxed),
           "the lanes of this process are running already");
  process_options = options;
}

}  // namespace millrace
