// TensorsMap: the resource that keeps sparse tensors by number, so that queues
// of dense tensors can carry them.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/threads/thread.h"
#include "millrace/kernel/resource.h"
#include "millrace/ops/sparse/batch.h"

namespace millrace::ops {

// Thread-safe.
class TensorsMap final : public Resource {
 public:
  static constexpr absl::string_view kTypeName = "SparseTensorsMap";

  explicit TensorsMap(std::string name) : name_(std::move(name)) {}
  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override;

  // The number that the part has from now on: 0, 1, ... RESOURCE_EXHAUSTED if
  // the memory budget has no room for it.
  StatusOr<int64_t> Add(SparsePart part);
  // Forgets those of the numbers that there are.
  void Drop(absl::Span<const int64_t> numbers);
  // Takes parts out, all of values of type `type` and of one rank.
  // INVALID_ARGUMENT "Unable to find SparseTensor: ..." and such; nothing is
  // taken then.
  StatusOr<std::vector<SparsePart>> Take(absl::Span<const int64_t> numbers,
                                         DataType type);

 private:
  const std::string name_;
  mutable Mutex mu_;
  // Guarded by mu_.
  int64_t next_ = 0;
  absl::flat_hash_map<int64_t, SparsePart> parts_;
  MemoryCharge charge_;
};

}  // namespace millrace::ops
