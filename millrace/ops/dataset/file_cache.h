// CacheFile: elements in a file, which is a checkpoint of format V2 with
// TensorFlow's keys.
#pragma once

#include <memory>
#include <string>

#include "millrace/base/memory/kept_charge.h"
#include "millrace/checkpoint/bundle/bundle_reader.h"
#include "millrace/checkpoint/bundle/bundle_writer.h"
#include "millrace/ops/data/dataset.h"

namespace millrace::ops {

// May be used by one thread at a time, which may block.
class CacheFile {
 public:
  CacheFile(FileSystem* files, std::string prefix, std::vector<DataType> types)
      : files_(files), prefix_(std::move(prefix)), types_(std::move(types)) {}
  ~CacheFile() { Abandon(); }
  CacheFile(const CacheFile&) = delete;
  CacheFile& operator=(const CacheFile&) = delete;

  // Opens the file for reading if it exists, else for writing. Returns
  // ALREADY_EXISTS if another writer has it.
  Status Open();
  bool is_reading() const { return reader_ != nullptr; }

  Status Add(const Element& element);
  // Declares that all elements were added; the file can be read from now on.
  Status Finish();
  // Removes what was written. May be called at any time.
  void Abandon();

  // Returns up to `most` elements behind those that the last call returned;
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
  KeptSum index_{"the index of a cache file"};  // of the writer
  int64_t next_ = 0;                            // index of the next element
};

}  // namespace millrace::ops
