// V1Writer: writes checkpoints of format V1, for programs that ask for them.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"
#include "millrace/base/status.h"
#include "millrace/checkpoint/tensor_slice.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// Keeps everything in memory until Finish(), which writes the file under
// another name, syncs and renames it. Not thread-safe.
class V1Writer {
 public:
  V1Writer(FileSystem* files, const std::string& path);
  ~V1Writer();

  // Adds `value`, the `slice` of a tensor of shape `full_shape`. Returns
  // INVALID_ARGUMENT if that does not fit, if the slice was added before, or
  // for values beyond 2 GB, which the format cannot hold.
  Status Add(absl::string_view name, const TensorShape& full_shape,
             const TensorSlice& slice, const Tensor& value);
  Status Finish();

 private:
  struct Header;
  FileSystem* const files_;
  const std::string path_;
  std::unique_ptr<Header> header_;
  std::map<std::string, std::string> values_;  // by slice key
};

}  // namespace millrace
