// FaultNetwork: a transport that loses, duplicates, delays and cuts off calls,
// as the seed of a simulation decides.
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
  kReplyLost,    // the handler runs; the caller gets UNAVAILABLE
  kDuplicated,   // the handler runs twice; its second reply is dropped
  kRequestDelayed,
  kReplyDelayed,
  kReset,  // every call between the two ends fails with UNAVAILABLE
  kHeld,   // no answer while a partition lasts
};
inline constexpr int kNumFaults = 7;
// Returns a fault's name: "request_lost".
absl::string_view FaultName(Fault fault);

// Chances are per million calls. Outside a simulation, where there is no seed,
// only a chance of a million has an effect, and delays are 0.
struct FaultOptions {
  int request_lost = 0;
  int reply_lost = 0;
  int duplicated = 0;
  int request_delayed = 0;
  int reply_delayed = 0;
  int reset = 0;
  // Delays are uniform below these limits: the delay of requests, replies and
  // duplicates; the time until a caller notices a loss; the time from the start
  // of a call to its reset.
  int64_t max_delay_nanos = 1'000'000'000;
  int64_t max_loss_nanos = 3'000'000'000;
  int64_t max_reset_nanos = 1'000'000'000;
  // Methods to which faults apply; empty: all.
  std::vector<MethodId> methods;
};

// A delayed or held request arrives even if its caller has given up meanwhile,
// and is cancelled then; if another listener has started at the address since,
// the request is lost instead. Thread-safe; transports, callers and listeners
// may outlive it.
class FaultNetwork {
 public:
  FaultNetwork(std::shared_ptr<Transport> base, FaultOptions options);
  ~FaultNetwork();  // heals all partitions

  // Returns the network as the task or client `name` sees it. Its listeners are
  // known by that name too; others are known by their addresses.
  std::shared_ptr<Transport> Endpoint(const std::string& name);

  // Applies to calls that start from now on. FaultOptions{} ends the faults.
  void set_options(FaultOptions options);

  // Partitions `a` from `b` ("*": all others), in both directions, until the
  // deadline or Heal. Traffic is held and delivered afterwards; callers see
  // silence. `a` and `b` are names or addresses.
  void Partition(const std::string& a, const std::string& b,
                 Deadline until = Deadline::Infinite());
  void Heal(const std::string& a, const std::string& b);
  void HealAll();
  // Breaks the open calls from `from` to `to`; "*" stands for any end.
  void Reset(const std::string& from, const std::string& to);

  int64_t count(Fault fault) const;
  int64_t count(Fault fault, MethodId method) const;
  int64_t calls() const;
  // Returns the number of calls, and a line for each fault and method that
  // occurred: "request_lost RunGraph 3".
  std::string Report() const;

  class State;

 private:
  const std::shared_ptr<State> state_;
};

}  // namespace millrace
