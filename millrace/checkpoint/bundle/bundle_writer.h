// BundleWriter: writes a checkpoint of one data shard (format V2).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"
#include "millrace/base/status.h"
#include "millrace/checkpoint/bundle/bundle_entry.h"
#include "millrace/checkpoint/tensor_slice.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

struct BundleOptions {
  // Each tensor begins at a multiple of this; zeros fill the gaps.
  int64_t data_alignment = 1;
};

// Files get their names only in Finish(), the index last and after everything
// is on disk: a crash leaves either no checkpoint of this name or a complete
// one. (A checkpoint of the same name is lost if the crash comes between the
// first and the last renaming.) Tensors are written in pieces, never copied
// whole. Not thread-safe. The first error is sticky; without Finish() no file
// is left.
class BundleWriter {
 public:
  // Creates the directory of `prefix` and the file for the data. `files` must
  // outlive the writer.
  static StatusOr<std::unique_ptr<BundleWriter>> Open(
      FileSystem* files, const std::string& prefix, BundleOptions options = {});
  ~BundleWriter();
  BundleWriter(const BundleWriter&) = delete;
  BundleWriter& operator=(const BundleWriter&) = delete;

  // Returns INVALID_ARGUMENT for a name that was added before, is empty or
  // begins with a zero byte, and for variants that do not leave their process
  // (data sets); UNIMPLEMENTED for resources.
  Status Add(absl::string_view name, const Tensor& value);
  // Adds `value`, the `slice` of a tensor of shape `full_shape`. Slices of one
  // tensor may come in any order and lie in different parts of a sharded
  // checkpoint (MergeBundles merges them).
  Status AddSlice(absl::string_view name, const TensorShape& full_shape,
                  const TensorSlice& slice, const Tensor& value);
  // Syncs and renames the files. No method may be called afterwards.
  Status Finish();

 private:
  BundleWriter(FileSystem* files, const std::string& prefix,
               BundleOptions options);
  // `key` is a plain name or a slice key.
  Status AddWithKey(std::string key, const Tensor& value);
  Status WriteValue(const Tensor& value, BundleEntry* entry);
  // Writes data, buffering small pieces.
  Status Write(absl::string_view data);
  Status FlushPending();
  Status WriteIndex();
  Status Publish();

  FileSystem* const files_;
  const BundleOptions options_;
  const std::string index_path_, index_temp_, data_path_, data_temp_;
  Status status_;
  std::unique_ptr<WritableFile> data_;
  std::string pending_;
  int64_t offset_ = 0;  // of the next byte of data
  std::map<std::string, BundleEntry, std::less<>> entries_;
  bool finished_ = false;
};

}  // namespace millrace
