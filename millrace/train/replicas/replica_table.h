// ReplicaTable: what asynchronous replicas tell each other and the programs
// that watch them: a table on the global step's task (a MutableHashTable, empty
// when its task begins) with a record for each replica.
//
// A record is written by the steps of its replica, a few small ops on the
// table's task that send nothing; only its state is written by others, too. A
// replica runs one step at a time. A step that is repeated after a task was
// lost may count twice.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "millrace/client/ops.h"

namespace millrace::train {

enum class ReplicaState : int64_t {
  kUnknown,  // it has not joined since the table's task began
  kTrains,
  kEnded,  // it has said so
  kGone    // another one has waited for it in vain
};

// Gradients are counted by their staleness: those of at least each of these.
inline constexpr std::array<int64_t, 8> kStalenessBounds = {0, 1, 2,  3,
                                                            4, 8, 16, 32};

struct ReplicaRecord {
  ReplicaState state = ReplicaState::kUnknown;
  // Its steps, and as many more as it was behind when it joined.
  int64_t clock = 0;
  int64_t staleness_sum = 0;
  int64_t dropped = 0;
  int64_t max_staleness = 0;
  std::array<int64_t, kStalenessBounds.size()> at_least = {};

  int64_t gradients() const { return at_least[0]; }
  friend bool operator==(const ReplicaRecord&, const ReplicaRecord&) = default;
};

struct ReplicaRecords {
  int64_t global_step = 0;
  std::vector<ReplicaRecord> replicas;
};

// Returns the records from the two outputs that read them; INVALID_ARGUMENT for
// other tensors.
StatusOr<ReplicaRecords> ParseReplicaRecords(const Tensor& global_step,
                                             const Tensor& records);

// Tells of the gradients of all replicas between two moments.
struct StalenessSummary {
  int64_t gradients = 0;
  int64_t dropped = 0;
  double mean = 0;       // 0 without gradients
  int64_t greatest = 0;  // up to the second moment
  std::array<int64_t, kStalenessBounds.size()> at_least = {};
};
// `before` may be empty. What was counted before the table was lost counts as
// nothing.
StalenessSummary Summarize(const ReplicaRecords& before,
                           const ReplicaRecords& now);
// Returns "12 gradients, staleness 1.5 on average, at most 4 so far, 2 dropped;
// 0: 3, 1: 4, 2: 4, 4 to 7: 1".
std::string ToString(const StalenessSummary& summary);

// Builds the ops. `scope` is that of the table, in the block whose name the
// table gets; the ops built here are on the table's device.
class ReplicaTable {
 public:
  ReplicaTable(const Scope& scope, int64_t replicas, int64_t replica);

  // Counts a gradient of this replica, `staleness` (int64), after the control
  // dependencies of `scope`, and moves its clock. `applied` (bool) may be null:
  // it was.
  Operation Count(const Scope& scope, const Output& staleness,
                  const Output& applied) const;
  // Returns all records, for ParseReplicaRecords.
  Output Read(const Scope& scope) const;
  // Makes this replica one that trains. Its clock becomes that of the slowest
  // other one that does; without others it stays. Returns the clock.
  Output Join(const Scope& scope) const;
  Operation SetState(const Scope& scope, const Output& replica,
                     const Output& state) const;
  // Float scalars of all records that Read returned, of all gradients so far.
  struct Figures {
    Output staleness;  // the mean
    Output max_staleness;
    Output dropped;
  };
  static Figures FiguresOf(const Scope& scope, const Output& records);

 private:
  Output Find(const Scope& scope, const Input& keys) const;

  const int64_t replicas_;
  const int64_t replica_;
  Output table_;
};

}  // namespace millrace::train
