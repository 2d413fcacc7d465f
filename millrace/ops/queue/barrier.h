// Barrier: tuples whose components arrive one by one under a key, and which are
// taken once they are complete.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/base/memory/kept_charge.h"
#include "millrace/ops/queue/queue.h"

namespace millrace::ops {

// Thread-safe. Complete tuples are in a priority queue, ordered by the arrival
// of their first component.
//
// After Close no new key is accepted; tuples that have begun are completed, and
// then takes that find too few return OUT_OF_RANGE. With
// `cancel_pending_enqueues` they are dropped at once.
class Barrier final : public Resource {
 public:
  static constexpr absl::string_view kTypeName =
      "N10tensorflow7barrier7BarrierE";

  struct Options {
    std::vector<DataType> types;
    std::vector<PartialShape> shapes;
  };
  static StatusOr<Options> OptionsFrom(const KernelInit& init);
  Barrier(Options options, std::string name);

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override;
  // Ends all waiting operations with CANCELLED.
  void OnRemoved() override;
  // Returns INVALID_ARGUMENT "Shared barrier 'NAME' has component ..." for
  // other options.
  Status CheckOptions(const Options& options) const;
  const Options& options() const { return options_; }

  // Inserts row i of `values` as the component of tuple keys[i]. Requires:
  // `component` is a valid number and the dtypes fit. Passes to `done`
  // INVALID_ARGUMENT if a component is there already or has another shape,
  // RESOURCE_EXHAUSTED if memory runs out, CANCELLED after closing. The rows
  // before the one at fault stay inserted.
  void InsertMany(QueueCaller caller, int component, const Tensor& keys,
                  const Tensor& values, Done done);
  // Takes (indices, keys, components ...) with n rows each; with `allow_small`,
  // fewer after closing.
  void TakeMany(QueueCaller caller, int64_t n, bool allow_small,
                Queue::TupleDone done);
  // Closes the barrier. A second call returns CANCELLED, unless it is the first
  // one with `cancel_pending_enqueues`.
  void Close(QueueCaller caller, PendingEnqueues pending, Done done);

  int64_t ready_size() const { return ready_->size(); }
  int64_t incomplete_size() const;

 private:
  struct Tuple {
    int64_t index = 0;
    std::vector<Tensor> parts;  // invalid: not there yet
  };
  Status CheckInsertion(int component, const Tensor& keys,
                        const Tensor& values) const;
  // Require mu_ to be held.
  Status InsertLocked(const QueueCaller& caller, int component,
                      const Tensor& keys, const Tensor& values,
                      std::vector<QueueRun>* complete);
  Status InsertRowLocked(const std::string& key, int component, int64_t row,
                         Tensor value, bool* is_new,
                         std::vector<QueueRun>* complete);
  // Called when the tuples of an insertion are in the queue.
  void EndInsertion(QueueCaller caller, Status status, Done done);

  const Options options_;
  const std::string name_;
  const Ref<Queue> ready_;
  mutable Mutex mu_;
  // Guarded by mu_.
  absl::flat_hash_map<std::string, Tuple> incomplete_;
  KeptSum kept_{"incomplete tuples of a barrier"};
  int64_t next_index_;
  int64_t moving_ = 0;  // number of insertions on their way to the queue
  bool closed_ = false, cancelled_ = false;
};

}  // namespace millrace::ops
