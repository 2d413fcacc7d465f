// CacheFile: elements in a file, a checkpoint of format V2 with the keys that
// TensorFlow gives them.
#pragma once

#include <memory>
#include <string>

#include "millrace/checkpoint/bundle/bundle_reader.h"
#include "millrace/checkpoint/bundle/bundle_writer.h"
#include "millrace/ops/data/dataset.h"

namespace millrace::ops {

// One thread at a time, which may block.
class CacheFile {
 public:
  CacheFile(FileSystem* files, std::string prefix, std::vector<DataType> types)
      : files_(files), prefix_(std::move(prefix)), types_(std::move(types)) {}
  ~CacheFile() { Abandon(); }
  CacheFile(const CacheFile&) = delete;
  CacheFile& operator=(const CacheFile&) = delete;

  // Opens it for reading if it is there, else for writing. ALREADY_EXISTS if
  // somebody else is writing it.
  Status Open();
  bool is_reading() const { return reader_ != nullptr; }

  Status Add(const Element& element);
  // All elements were added: from now on it can be read.
  Status Finish();
  // What was written goes. May be called at any time.
  void Abandon();

  // Up to `most` elements from the place on that follows the last call's;
  // fewer only at the end.
  StatusOr<std::vector<Element>> Read(size_t most, Allocator* allocator);

 private:
  std::string Key(size_t component) const;
  std::string LockPath() const { return prefix_ + ".lockfile"; }

  FileSystem* const files_;
  const std::string prefix_;
  const std::vector<DataType> types_;
  std::unique_ptr<BundleReader> reader_;
  std::unique_ptr<BundleWriter> writer_;
  int64_t next_ = 0;  // element
};

}  // namespace millrace::ops
