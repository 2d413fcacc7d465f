// CheckpointReader: reads a checkpoint of either format, given its prefix.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"
#include "millrace/base/status.h"
#include "millrace/checkpoint/bundle/bundle_entry.h"
#include "millrace/checkpoint/tensor_slice.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

class BundleReader;
class V1Reader;

// Called from time to time while a tensor is read that is stored in slices, of
// which a file may have many; its error ends the reading. Thread-safe.
using ReadingCheck = std::function<Status()>;

// Thread-safe. Errors are BundleReader's.
class CheckpointReader {
 public:
  // Opens format V2 if PREFIX.index exists, otherwise V1. Returns NOT_FOUND if
  // neither exists.
  static StatusOr<std::unique_ptr<CheckpointReader>> Open(
      FileSystem* files, const std::string& prefix, ReadingCheck check = {});
  ~CheckpointReader();

  // Returns dtype, full shape and slices of a tensor; NOT_FOUND names it.
  StatusOr<BundleEntry> Find(absl::string_view name) const;
  bool Contains(absl::string_view name) const { return Find(name).ok(); }
  StatusOr<Tensor> Lookup(absl::string_view name,
                          Allocator* allocator = HostAllocator()) const;
  StatusOr<Tensor> LookupSlice(absl::string_view name, const TensorSlice& slice,
                               Allocator* allocator = HostAllocator()) const;
  // Does what RestoreV2 does for one tensor; `shape_and_slice` is as in
  // ParseShapeAndSlice(). Returns INVALID_ARGUMENT if the shape with which it
  // begins, or `dtype`, is not that of the stored tensor.
  StatusOr<Tensor> Restore(absl::string_view name,
                           absl::string_view shape_and_slice, DataType dtype,
                           Allocator* allocator = HostAllocator()) const;
  // Visits all tensors in the order of their names.
  Status ForEach(absl::FunctionRef<Status(absl::string_view name,
                                          const BundleEntry& entry)>
                     visit) const;

  bool is_v1() const { return v1_ != nullptr; }

 private:
  CheckpointReader();
  std::unique_ptr<BundleReader> v2_;
  std::unique_ptr<V1Reader> v1_;
};

}  // namespace millrace
