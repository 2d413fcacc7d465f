// V1Reader: reads checkpoints of format V1, which old programs wrote.
//
// A file is a table (table_format.h). The empty key maps to a SavedTensorSlices
// that lists all tensors with their slices; each slice's values are in another
// SavedTensorSlices under SliceKey().
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"
#include "millrace/base/status.h"
#include "millrace/checkpoint/bundle/bundle_entry.h"
#include "millrace/checkpoint/table/table_reader.h"
#include "millrace/checkpoint/tensor_slice.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// Thread-safe. Errors are BundleReader's.
class V1Reader {
 public:
  // `pattern` is the file, or a pattern that matches all shards.
  static StatusOr<std::unique_ptr<V1Reader>> Open(FileSystem* files,
                                                  const std::string& pattern);

  // Sets what is called between two slices of a tensor; its error ends the
  // reading. Requires: nobody uses this yet.
  void set_check(std::function<Status()> check) { check_ = std::move(check); }

  // Returns dtype, full shape and slices. Returns NOT_FOUND "Tensor name "NAME"
  // not found in checkpoint files PATTERN" if there is none.
  StatusOr<BundleEntry> Find(absl::string_view name) const;
  StatusOr<Tensor> Lookup(absl::string_view name,
                          Allocator* allocator = HostAllocator()) const;
  StatusOr<Tensor> LookupSlice(absl::string_view name, const TensorSlice& slice,
                               Allocator* allocator = HostAllocator()) const;
  Status ForEach(absl::FunctionRef<Status(absl::string_view name,
                                          const BundleEntry& entry)>
                     visit) const;

 private:
  struct Saved {
    BundleEntry entry;
    std::vector<size_t> files;  // of each of entry.slices
  };
  explicit V1Reader(const std::string& pattern) : pattern_(pattern) {}
  Status AddFile(FileSystem* files, const std::string& path);
  // Returns the values of slice `i`.
  StatusOr<Tensor> ReadSlice(absl::string_view name, const Saved& saved,
                             size_t i, Allocator* allocator) const;

  const std::string pattern_;
  std::function<Status()> check_;  // may be empty
  std::vector<std::unique_ptr<Table>> tables_;
  std::map<std::string, Saved, std::less<>> tensors_;
};

}  // namespace millrace
