// Staging areas: tuples that one step leaves for another.
#pragma once

#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "millrace/base/memory/kept_charge.h"
#include "millrace/ops/queue/waiters.h"

namespace millrace::ops {

struct StagingLimits {
  int64_t capacity = 0;      // tuples; 0: no limit
  int64_t memory_limit = 0;  // bytes; 0: no limit

  bool Fits(size_t tuples, int64_t bytes, int64_t more) const {
    return (capacity == 0 || static_cast<int64_t>(tuples) < capacity) &&
           (memory_limit == 0 || bytes + more <= memory_limit);
  }
  // Returns RESOURCE_EXHAUSTED for a tuple that does not even fit into an empty
  // area.
  Status Check(int64_t bytes) const;
};

using StagedTuple = std::vector<Tensor>;
inline constexpr char kStaged[] = "tuples of a staging area";
using StagedDone = absl::AnyInvocable<Status(StagedTuple)>;

// First in, first out. Thread-safe.
class StagingArea final : public WaitingResource {
 public:
  static constexpr absl::string_view kTypeName = "StagingArea";
  StagingArea(StagingLimits limits, std::string name)
      : limits_(limits), name_(std::move(name)) {}
  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override;

  void Put(KernelContext& ctx, StagedTuple tuple, Done done);
  // `use` gets the tuple before `done` is called.
  void Get(KernelContext& ctx, StagedDone use, Done done);
  void Peek(KernelContext& ctx, int64_t index, StagedDone use, Done done);
  int64_t size() const;
  void Clear();

 private:
  const StagingLimits limits_;
  const std::string name_;
  // Guarded by mu_.
  std::deque<StagedTuple> tuples_;
  int64_t bytes_ = 0;
  KeptSum kept_{kStaged};
};

// Ordered by key. A tuple may arrive in parts; it counts, and can be taken,
// once it is complete. Thread-safe.
class MapStagingArea final : public WaitingResource {
 public:
  static constexpr absl::string_view kTypeName = "MapStagingArea";
  MapStagingArea(StagingLimits limits, size_t parts, std::string name)
      : limits_(limits), parts_(parts), name_(std::move(name)) {}
  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override;

  // `indices`, which are strictly increasing, say which parts of the tuple
  // `values` are.
  void Put(KernelContext& ctx, int64_t key, std::vector<int32_t> indices,
           StagedTuple values, Done done);
  // Without a key, gets the tuple of the smallest one. If `take`, the parts are
  // removed.
  void Get(KernelContext& ctx, std::optional<int64_t> key,
           std::vector<int32_t> indices, bool take,
           absl::AnyInvocable<Status(int64_t key, StagedTuple)> use, Done done);
  int64_t size() const;
  int64_t incomplete_size() const;
  void Clear();

 private:
  // Missing parts are invalid tensors.
  using Map = absl::btree_map<int64_t, StagedTuple>;
  Status PutLocked(int64_t key, const std::vector<int32_t>& indices,
                   StagedTuple& values);
  Status GetLocked(Map::iterator at, const std::vector<int32_t>& indices,
                   bool take, StagedTuple* out);

  const StagingLimits limits_;
  const size_t parts_;
  const std::string name_;
  // Guarded by mu_.
  Map complete_, incomplete_;
  int64_t bytes_ = 0;
  KeptSum kept_{kStaged};
};

int64_t BytesOf(const StagedTuple& tuple);
// Returns INVALID_ARGUMENT if there are no indices or if they do not increase.
Status CheckIndexOrder(const std::vector<int32_t>& indices);

}  // namespace millrace::ops
