// LmdbReader: reads the records of an LMDB database, by its file alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "millrace/base/files/file.h"
#include "millrace/base/status.h"

namespace millrace {

// Reads the main database of an LMDB file (data version 1, written by a little
// endian machine of 64 bits) in the order of its keys. The file is not trusted:
// every place in it is checked, and no page is visited more often than the file
// has pages. Databases with several values for a key are not supported. Reads
// while another process writes may fail. For one thread, which may block.
class LmdbReader {
 public:
  // Opens a file, or the file data.mdb of a folder. Returns INVALID_ARGUMENT in
  // LMDB's words if there is no database.
  static StatusOr<std::unique_ptr<LmdbReader>> Open(FileSystem* files,
                                                    const std::string& path);

  // Reads the next record. Returns false at the end, INVALID_ARGUMENT in LMDB's
  // words if the file is damaged.
  StatusOr<bool> Next(std::string* key, std::string* value);

 private:
  // A page on the way from the root to the current leaf.
  struct Place {
    std::string page;
    size_t count = 0;  // nodes
    size_t next = 0;   // the node to go on with
    bool is_leaf = false;
  };
  struct Meta;

  explicit LmdbReader(std::unique_ptr<RandomAccessFile> file)
      : file_(std::move(file)) {}
  StatusOr<Meta> ReadMeta(uint64_t offset) const;
  Status ReadMetas();
  // Reads page `number` and puts it on the way.
  Status Enter(uint64_t number);
  // Returns the bytes of the place's next node.
  StatusOr<absl::string_view> NodeAt(const Place& place) const;
  Status ReadNode(absl::string_view node, std::string* key,
                  std::string* value) const;
  Status ReadOverflow(uint64_t number, uint64_t size, std::string* value) const;
  Status ReadAt(uint64_t offset, size_t size, std::string* bytes) const;

  const std::unique_ptr<RandomAccessFile> file_;
  uint64_t file_size_ = 0;
  uint64_t page_size_ = 0;
  uint64_t visits_left_ = 0;  // of pages
  std::vector<Place> way_;
};

}  // namespace millrace
