// FaultNetwork: a transport on which calls get lost, doubled, delayed and cut
// off, as the seed of a simulation decides.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/rpc/transport.h"

namespace millrace {

enum class Fault : uint8_t {
  kRequestLost,  // UNAVAILABLE at the caller; the handler never runs
  kReplyLost,    // the handler runs; then UNAVAILABLE
  kDuplicated,   // the handler runs twice; what it says second is dropped
  kRequestDelayed,
  kReplyDelayed,
  kReset,  // every call between the two breaks with UNAVAILABLE
  kHeld,   // silence while a partition lasts
};
inline constexpr int kNumFaults = 7;
// "request_lost"
absl::string_view FaultName(Fault fault);

// Chances are in a million calls. Outside a simulation, where there is no seed,
// only a chance of a million counts, and delays are 0.
struct FaultOptions {
  int request_lost = 0;
  int reply_lost = 0;
  int duplicated = 0;
  int request_delayed = 0;
  int reply_delayed = 0;
  int reset = 0;
  // Delays are uniform below these: of requests, replies and duplicates; until
  // a caller notices a loss; from the start of a call to its reset.
  int64_t max_delay_nanos = 1'000'000'000;
  int64_t max_loss_nanos = 3'000'000'000;
  int64_t max_reset_nanos = 1'000'000'000;
  // Empty: all.
  std::vector<MethodId> methods;
};

// A request that is delayed or held arrives even if its caller gave up
// meanwhile, and is cancelled then; but not if somebody else has begun to
// listen there since: then it is lost. Thread-safe; transports, callers and
// listeners may outlive it.
class FaultNetwork {
 public:
  FaultNetwork(std::shared_ptr<Transport> base, FaultOptions options);
  ~FaultNetwork();  // heals all partitions

  // The network as `name` sees it (a task, a client). What it listens on is
  // known by that name too; others are known by their addresses.
  std::shared_ptr<Transport> Endpoint(const std::string& name);

  // For calls that start from now on. FaultOptions{}: no more faults.
  void set_options(FaultOptions options);

  // Nothing passes between `a` and `b` ("*": everybody else), in either
  // direction, until the deadline or Heal; it is held and passes then.
  // Callers see silence. a and b: names or addresses.
  void Partition(const std::string& a, const std::string& b,
                 Deadline until = Deadline::Infinite());
  void Heal(const std::string& a, const std::string& b);
  void HealAll();
  // Breaks the calls of `from` to `to` that are open; "*": of or to anybody.
  void Reset(const std::string& from, const std::string& to);

  int64_t count(Fault fault) const;
  int64_t count(Fault fault, MethodId method) const;
  int64_t calls() const;
  // Calls, and a line for each fault and method that happened:
  // "request_lost RunGraph 3".
  std::string Report() const;

  class State;

 private:
  const std::shared_ptr<State> state_;
};

}  // namespace millrace
