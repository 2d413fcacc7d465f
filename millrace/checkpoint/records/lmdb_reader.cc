#include "millrace/checkpoint/records/lmdb_reader.h"

#include <bit>
#include <utility>

#include "millrace/base/coding.h"

namespace millrace {
namespace {

constexpr uint32_t kMagic = 0xbeefc0de;
constexpr uint32_t kDataVersion = 1;
constexpr uint64_t kNoPage = ~uint64_t{0};
constexpr size_t kPageHeaderBytes = 16;
constexpr size_t kNodeHeaderBytes = 8;
constexpr size_t kMostLevels = 32;  // of pages, as LMDB has it

// Flags of pages and nodes.
constexpr uint16_t kBranchPage = 0x01, kLeafPage = 0x02, kOverflowPage = 0x04,
                   kMetaPage = 0x08;
constexpr uint16_t kBigNode = 0x01, kSeveralValues = 0x02 | 0x04;
constexpr uint16_t kSortedDuplicates = 0x04;  // of the database

// Offsets in a page's header and, behind it, in a meta page.
constexpr size_t kFlagsAt = 10, kLowerAt = 12, kPagesAt = 12;
constexpr size_t kMagicAt = 16, kVersionAt = 20, kPageSizeAt = 40,
                 kMainFlagsAt = 92, kRootAt = 128, kLastPageAt = 136,
                 kTransactionAt = 144, kMetaBytes = 152;

Status NoDatabase() {
  return InvalidArgument("MDB_INVALID: File is not an LMDB file");
}
Status Damaged() {
  return InvalidArgument("MDB_CORRUPTED: Located page was wrong type");
}

}  // namespace

struct LmdbReader::Meta {
  uint64_t page_size = 0, root = 0, last_page = 0, transaction = 0;
  uint16_t flags = 0;
};

StatusOr<std::unique_ptr<LmdbReader>> LmdbReader::Open(
    FileSystem* files, const std::string& path) {
  const std::string name =
      files->IsDirectory(path).ok() ? JoinPath(path, "data.mdb") : path;
  StatusOr<std::unique_ptr<RandomAccessFile>> file =
      files->NewRandomAccessFile(name);
  if (file.status().code() == StatusCode::kNotFound) {
    // LMDB's words, and the code that stock gives to all of its errors.
    return InvalidArgument("No such file or directory: ", name);
  }
  MR_RETURN_IF_ERROR(file.status());
  std::unique_ptr<LmdbReader> reader(new LmdbReader(*std::move(file)));
  MR_RETURN_IF_ERROR(reader->ReadMetas());
  return reader;
}

Status LmdbReader::ReadAt(uint64_t offset, size_t size,
                          std::string* bytes) const {
  if (offset > file_size_ || size > file_size_ - offset) return Damaged();
  bytes->resize(size);
  MR_ASSIGN_OR_RETURN(const size_t got,
                      file_->Read(offset, size, bytes->data()));
  return got == size ? OkStatus() : Damaged();
}

StatusOr<LmdbReader::Meta> LmdbReader::ReadMeta(uint64_t offset) const {
  std::string page;
  if (!ReadAt(offset, kMetaBytes, &page).ok()) return NoDatabase();
  const char* const p = page.data();
  if ((LoadFixed<uint16_t>(p + kFlagsAt) & kMetaPage) == 0 ||
      LoadFixed<uint32_t>(p + kMagicAt) != kMagic) {
    return NoDatabase();
  }
  if (LoadFixed<uint32_t>(p + kVersionAt) != kDataVersion) {
    return InvalidArgument(
        "MDB_VERSION_MISMATCH: Database environment version mismatch");
  }
  return Meta{.page_size = LoadFixed<uint32_t>(p + kPageSizeAt),
              .root = LoadFixed<uint64_t>(p + kRootAt),
              .last_page = LoadFixed<uint64_t>(p + kLastPageAt),
              .transaction = LoadFixed<uint64_t>(p + kTransactionAt),
              .flags = LoadFixed<uint16_t>(p + kMainFlagsAt)};
}

Status LmdbReader::ReadMetas() {
  MR_ASSIGN_OR_RETURN(file_size_, file_->Size());
  MR_ASSIGN_OR_RETURN(Meta meta, ReadMeta(0));
  constexpr uint64_t kLeastPage = 256, kMostPage = 65536;
  page_size_ = meta.page_size;
  if (!std::has_single_bit(page_size_) || page_size_ < kLeastPage ||
      page_size_ > kMostPage) {
    return NoDatabase();
  }
  // The second page describes another state; the newer one counts.
  MR_ASSIGN_OR_RETURN(const Meta other, ReadMeta(page_size_));
  if (other.page_size != page_size_) return NoDatabase();
  if (other.transaction > meta.transaction) meta = other;
  if ((meta.flags & kSortedDuplicates) != 0) {
    return Unimplemented(
        "an LMDB database with several values for a key is not supported");
  }
  visits_left_ = file_size_ / page_size_;
  return meta.root == kNoPage ? OkStatus() : Enter(meta.root);
}

Status LmdbReader::Enter(uint64_t number) {
  if (visits_left_ == 0 || way_.size() >= kMostLevels ||
      number >= file_size_ / page_size_) {
    return Damaged();
  }
  --visits_left_;
  Place place;
  MR_RETURN_IF_ERROR(ReadAt(number * page_size_,
                            static_cast<size_t>(page_size_), &place.page));
  const auto flags = LoadFixed<uint16_t>(place.page.data() + kFlagsAt);
  const size_t lower = LoadFixed<uint16_t>(place.page.data() + kLowerAt);
  place.is_leaf = (flags & kLeafPage) != 0;
  const bool known = flags == kLeafPage || flags == kBranchPage;
  if (!known || lower < kPageHeaderBytes || lower > place.page.size()) {
    return Damaged();
  }
  place.count = (lower - kPageHeaderBytes) / sizeof(uint16_t);
  way_.push_back(std::move(place));
  return OkStatus();
}

StatusOr<absl::string_view> LmdbReader::NodeAt(const Place& place) const {
  const size_t at = LoadFixed<uint16_t>(place.page.data() + kPageHeaderBytes +
                                        place.next * sizeof(uint16_t));
  if (at < kPageHeaderBytes || at > place.page.size() ||
      place.page.size() - at < kNodeHeaderBytes) {
    return Damaged();
  }
  return absl::string_view(place.page).substr(at);
}

StatusOr<bool> LmdbReader::Next(std::string* key, std::string* value) {
  while (!way_.empty()) {
    Place& place = way_.back();
    if (place.next == place.count) {
      way_.pop_back();
      continue;
    }
    MR_ASSIGN_OR_RETURN(const absl::string_view node, NodeAt(place));
    ++place.next;
    if (place.is_leaf) {
      MR_RETURN_IF_ERROR(ReadNode(node, key, value));
      return true;
    }
    const uint64_t child = LoadFixed<uint32_t>(node.data()) |
                           uint64_t{LoadFixed<uint16_t>(node.data() + 4)} << 32;
    MR_RETURN_IF_ERROR(Enter(child));
  }
  return false;
}

Status LmdbReader::ReadNode(absl::string_view node, std::string* key,
                            std::string* value) const {
  const uint64_t size = LoadFixed<uint32_t>(node.data());
  const auto flags = LoadFixed<uint16_t>(node.data() + 4);
  const size_t key_size = LoadFixed<uint16_t>(node.data() + 6);
  node.remove_prefix(kNodeHeaderBytes);
  if (key_size > node.size()) return Damaged();
  key->assign(node.data(), key_size);
  node.remove_prefix(key_size);
  if ((flags & kSeveralValues) != 0) {
    return Unimplemented(
        "an LMDB database with several values for a key is not supported");
  }
  if ((flags & kBigNode) != 0) {
    if (node.size() < sizeof(uint64_t)) return Damaged();
    return ReadOverflow(LoadFixed<uint64_t>(node.data()), size, value);
  }
  if (size > node.size()) return Damaged();
  value->assign(node.data(), static_cast<size_t>(size));
  return OkStatus();
}

Status LmdbReader::ReadOverflow(uint64_t number, uint64_t size,
                                std::string* value) const {
  if (number >= file_size_ / page_size_) return Damaged();
  std::string header;
  const uint64_t at = number * page_size_;
  MR_RETURN_IF_ERROR(ReadAt(at, kPageHeaderBytes, &header));
  const uint64_t pages = LoadFixed<uint32_t>(header.data() + kPagesAt);
  if ((LoadFixed<uint16_t>(header.data() + kFlagsAt) & kOverflowPage) == 0 ||
      size > pages * page_size_) {
    return Damaged();
  }
  return ReadAt(at + kPageHeaderBytes, static_cast<size_t>(size), value);
}

}  // namespace millrace
