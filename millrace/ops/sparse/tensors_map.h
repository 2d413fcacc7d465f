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

  // Adds a part and returns its number: 0, 1, ... Returns RESOURCE_EXHAUSTED if
  // the memory budget has no room for it.
  StatusOr<int64_t> Add(SparsePart part);
  // Removes the parts with these numbers, as far as they exist.
  void Drop(absl::Span<const int64_t> numbers);
  // Takes parts out, which must all have values of type `type` and the same
  // rank. Returns INVALID_ARGUMENT "Unable to find SparseTensor: ..." or the
  // like, having taken nothing, if they have not.
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
