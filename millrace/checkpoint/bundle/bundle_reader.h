// BundleReader: reads a checkpoint of format V2.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/thread.h"
#include "millrace/checkpoint/bundle/bundle_entry.h"
#include "millrace/checkpoint/slice_copy.h"
#include "millrace/checkpoint/table/table_reader.h"
#include "millrace/checkpoint/tensor_slice.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// Thread-safe, so tensors may be read in parallel. The checksum of every byte
// is verified before data derived from it is returned, and nothing is allocated
// that the files' sizes do not cover. Errors: NOT_FOUND for a missing
// checkpoint, file or tensor, DATA_LOSS for corrupt bytes, otherwise the file
// system's.
class BundleReader {
 public:
  static StatusOr<std::unique_ptr<BundleReader>> Open(
      FileSystem* files, const std::string& prefix);

  // Sets what is called between two slices of a tensor; its error ends the
  // reading. Requires: nobody uses this yet.
  void set_check(std::function<Status()> check) { check_ = std::move(check); }

  int num_shards() const { return num_shards_; }
  // Returns NOT_FOUND "Key NAME not found in checkpoint" if there is none.
  StatusOr<BundleEntry> Find(absl::string_view name) const;
  bool Contains(absl::string_view name) const { return Find(name).ok(); }
  // Returns the whole tensor, assembled if it is stored in slices.
  StatusOr<Tensor> Lookup(absl::string_view name,
                          Allocator* allocator = HostAllocator()) const;
  // Returns a slice of a tensor, however that is stored. Returns
  // INVALID_ARGUMENT if the slice does not fit the tensor or part of it is not
  // stored.
  StatusOr<Tensor> LookupSlice(absl::string_view name, const TensorSlice& slice,
                               Allocator* allocator = HostAllocator()) const;

  using Visitor = absl::FunctionRef<Status(absl::string_view name,
                                           const BundleEntry& entry)>;
  // Visits all tensors in the order of their names, without their slices. Stops
  // at the visitor's first error.
  Status ForEach(Visitor visit) const;
  // Visits all entries with their keys, encoded: for merging and for
  // inspection.
  Status ForEachRaw(
      absl::FunctionRef<Status(absl::string_view key, absl::string_view value)>
          visit) const;
  // Reads the whole index and checks the size of each data file: DATA_LOSS or
  // NOT_FOUND if the checkpoint cannot be complete. Reads no data.
  Status CheckComplete() const;

 private:
  BundleReader(FileSystem* files, const std::string& prefix)
      : files_(files), prefix_(prefix) {}
  struct Shard {
    std::unique_ptr<RandomAccessFile> file;
    uint64_t size_bytes = 0;
  };
  Status Check() const { return check_ ? check_() : OkStatus(); }
  StatusOr<const Shard*> OpenShard(int shard) const;
  // Returns the shard's file, if the entry's bytes lie within it.
  StatusOr<const RandomAccessFile*> FileOf(const BundleEntry& entry) const;
  StatusOr<BundleEntry> FindKey(absl::string_view key,
                                absl::string_view name) const;
  StatusOr<Tensor> ReadEntry(const BundleEntry& entry,
                             Allocator* allocator) const;
  // Copies the intersection of `stored` (the box of `entry`) and `wanted` (of
  // `out`).
  Status ReadPart(const BundleEntry& entry, const Box& stored,
                  const Box& wanted, Tensor* out) const;
  StatusOr<Tensor> Assemble(absl::string_view name, const BundleEntry& full,
                            const TensorSlice& slice,
                            Allocator* allocator) const;

  FileSystem* const files_;
  const std::string prefix_;
  std::function<Status()> check_;  // may be empty
  int num_shards_ = 0;
  std::unique_ptr<Table> index_;
  mutable Mutex mu_;
  mutable std::vector<std::unique_ptr<Shard>> shards_;  // guarded by mu_
};

}  // namespace millrace
