// FaultNetwork::State: the state that all endpoints of a FaultNetwork share.
// Private to rpc/fault.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/functional/any_invocable.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/base/threads/thread.h"
#include "millrace/rpc/fault/fault_network.h"

namespace millrace {

class FaultCall;

// The faults of one call, decided when it starts. Delays are in nanoseconds.
struct FaultPlan {
  bool request_lost = false;
  bool reply_lost = false;
  bool duplicated = false;
  bool reset = false;
  int64_t request_delay = 0;
  int64_t reply_delay = 0;
  int64_t duplicate_delay = 0;
  int64_t loss_delay = 0;
  int64_t reset_delay = 0;
};

class FaultNetwork::State : public std::enable_shared_from_this<State> {
 public:
  State(std::shared_ptr<Transport> base, FaultOptions options)
      : base_(std::move(base)), options_(std::move(options)) {}

  Transport& base() const { return *base_; }
  void set_options(FaultOptions options);

  // Records a new listener at the address, which begins a new incarnation,
  // under this name.
  void AddName(const std::string& address, const std::string& name);
  // Returns the name of the listener at an address, or the address if it has
  // none.
  std::string NameOf(const std::string& address) const;
  // Returns how many listeners have started at the address so far.
  int64_t StartsOf(absl::string_view address) const;

  FaultPlan Decide(const Method& method);
  void Count(Fault fault, const FaultCall& call);

  // Open calls, for Reset. NewId never returns 0.
  uint64_t NewId();
  void Enter(uint64_t id, Ref<FaultCall> call);
  void Leave(uint64_t id);
  void Reset(const std::string& from, const std::string& to);

  // Runs `task` now, or, if a partition holds it, on the control lane of
  // `lanes` after the partition. Returns true if it ran now.
  bool WhenConnected(const std::string& from, const std::string& to,
                     Lanes& lanes, absl::AnyInvocable<void()> task);
  void Partition(const std::string& a, const std::string& b, Deadline until);
  void Heal(const std::string& a, const std::string& b);
  void HealAll();

  int64_t count(Fault fault, const MethodId* method) const;
  int64_t calls() const;
  std::string Report() const;

 private:
  struct Split {
    uint64_t id;
    std::string a, b;
    bool Cuts(const std::string& from, const std::string& to) const;
  };
  struct Held {
    std::string from, to;
    Lanes* lanes;
    absl::AnyInvocable<void()> task;
  };
  bool IsCut(const std::string& from, const std::string& to) const;
  // Removes the partitions for which `over` returns true, and releases the
  // tasks that no other one holds.
  void Rejoin(absl::FunctionRef<bool(const Split&)> over);

  const std::shared_ptr<Transport> base_;
  mutable Mutex mu_;  // guards all below; never held while another is taken
  FaultOptions options_;
  uint64_t last_id_ = 0;
  int64_t calls_ = 0;
  absl::btree_map<std::string, std::string> names_;  // by address
  absl::btree_map<std::string, int64_t> lives_;      // by address
  absl::btree_map<uint64_t, Ref<FaultCall>> open_;
  std::vector<Split> splits_;
  std::vector<Held> held_;
  std::array<std::array<int64_t, kNumMethods>, kNumFaults> counts_ = {};
};

}  // namespace millrace
