// Barrier: tuples whose components come one by one, under a key, and go out
// once they are complete.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/ops/queue/queue.h"

namespace millrace::ops {

// Thread-safe. Complete tuples lie in a priority queue, by the time at which
// their first component came.
//
// After Close no new key comes in; tuples that have begun are completed, then
// takes that find too little give OUT_OF_RANGE. With
// `cancel_pending_enqueues` they are dropped at once.
class Barrier final : public Resource {
 public:
  static constexpr absl::string_view kTypeName = "Barrier";

  struct Options {
    std::vector<DataType> types;
    std::vector<PartialShape> shapes;
  };
  static StatusOr<Options> OptionsFrom(const KernelInit& init);
  Barrier(Options options, std::string name);

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override;
  // Ends what waits, with CANCELLED.
  void OnRemoved() override;
  // INVALID_ARGUMENT "Shared barrier 'NAME' has component ...".
  Status CheckOptions(const Options& options) const;
  const Options& options() const { return options_; }

  // Row i of `values` is the component of tuple keys[i]. `component` is a valid
  // number and the dtypes fit. INVALID_ARGUMENT for what is there already or
  // has another shape, CANCELLED after closing. What came before the row at
  // fault stays.
  void InsertMany(QueueCaller caller, int component, const Tensor& keys,
                  const Tensor& values, Done done);
  // Gives (indices, keys, components ...), n rows each; `allow_small`: fewer
  // after closing.
  void TakeMany(QueueCaller caller, int64_t n, bool allow_small,
                Queue::TupleDone done);
  // CANCELLED the second time, unless it is the first with
  // `cancel_pending_enqueues`.
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
  // With mu_ held.
  Status InsertLocked(const QueueCaller& caller, int component,
                      const Tensor& keys, const Tensor& values,
                      std::vector<QueueRun>* complete);
  Status InsertRowLocked(const std::string& key, int component, int64_t row,
                         Tensor value, bool* is_new,
                         std::vector<QueueRun>* complete);
  // Tuples of an insertion are in the queue.
  void EndInsertion(QueueCaller caller, Status status, Done done);

  const Options options_;
  const std::string name_;
  const Ref<Queue> ready_;
  mutable Mutex mu_;
  // Guarded by mu_.
  absl::flat_hash_map<std::string, Tuple> incomplete_;
  int64_t next_index_;
  int64_t moving_ = 0;  // insertions on their way to the queue
  bool closed_ = false, cancelled_ = false;
};

}  // namespace millrace::ops
