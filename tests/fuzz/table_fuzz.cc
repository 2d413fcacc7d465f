// Rooms: checkpoint
// Any bytes as a table, as a block with the right checksum, as the index of a
// checkpoint, and as a checkpoint of format V1: errors or answers, no crash,
// no allocation that the bytes do not cover. The first byte says which.
#include <cstdint>
#include <map>
#include <string>

#include "millrace/base/files/memory_files.h"
#include "millrace/checkpoint/bundle/bundle_index.h"
#include "millrace/checkpoint/bundle/bundle_reader.h"
#include "millrace/checkpoint/checkpoint_paths.h"
#include "millrace/checkpoint/table/table_builder.h"
#include "millrace/checkpoint/table/table_reader.h"
#include "millrace/checkpoint/v1/v1_reader.h"

namespace {

using namespace millrace;

constexpr char kPath[] = "/file";

// No tensor may need much more than the small files that these are.
class LimitAllocator : public Allocator {
 public:
  absl::string_view name() const override { return "fuzz"; }
  StatusOr<Ref<Buffer>> Allocate(size_t size_bytes) override {
    MR_CHECK(size_bytes <= (size_t{1} << 26), "asked for ", size_bytes,
             " bytes");
    return HostAllocator()->Allocate(size_bytes);
  }
};

void ReadTable(MemoryFiles* files, absl::string_view bytes) {
  MR_CHECK(WriteStringToFile(files, kPath, bytes).ok());
  auto table = Table::Open(*files->NewRandomAccessFile(kPath));
  if (!table.ok()) return;
  auto it = (*table)->NewIterator();
  size_t entries = 0;
  for (it.SeekToFirst(); it.valid() && entries < 10000; it.Next()) ++entries;
  it.Seek("k");
  (void)(*table)->Get(bytes.substr(0, 3)).status();
}

// The bytes as the one data block of a table.
std::string AroundBlock(const std::string& block) {
  std::string bytes = block + EncodeBlockTrailer(block);
  TableFooter footer;
  const std::string empty = BlockBuilder(16).Finish();
  footer.metaindex = {bytes.size(), empty.size()};
  bytes += empty + EncodeBlockTrailer(empty);
  BlockBuilder index(1);
  std::string handle;
  BlockHandle{0, block.size()}.AppendTo(&handle);
  index.Add("\xff", handle);
  const std::string index_block = index.Finish();
  footer.index = {bytes.size(), index_block.size()};
  return bytes + index_block + EncodeBlockTrailer(index_block) +
         footer.Encode();
}

// Pieces of the bytes, each with its length before it.
std::map<std::string, std::string> Pieces(absl::string_view bytes) {
  std::map<std::string, std::string> pieces;
  const auto take = [&] {
    const size_t n = std::min<size_t>(
        bytes.size(), bytes.empty() ? 0 : uint8_t(bytes[0]) + 1);
    const std::string piece(bytes.substr(0, n));
    bytes.remove_prefix(n);
    return piece.empty() ? piece : piece.substr(1);
  };
  while (!bytes.empty()) {
    const std::string key = take();
    pieces[key] = take();
  }
  return pieces;
}

void ReadBundle(MemoryFiles* files, absl::string_view bytes) {
  std::map<std::string, std::string> entries = Pieces(bytes);
  entries.erase("");
  MR_CHECK(WriteBundleIndex(files, IndexFilename(kPath), 1, entries).ok());
  MR_CHECK(
      WriteStringToFile(files, DataFilename(kPath, 0, 1), std::string(64, '\1'))
          .ok());
  auto reader = BundleReader::Open(files, kPath);
  MR_CHECK(reader.ok());
  LimitAllocator allocator;
  (void)(*reader)->CheckComplete();
  for (const auto& [key, value] : entries) {
    (void)(*reader)->Lookup(key, &allocator).status();
    (void)(*reader)
        ->LookupSlice(key, *TensorSlice::Parse("0,1"), &allocator)
        .status();
    std::string name;
    TensorSlice slice;
    if (ParseSliceKey(key, &name, &slice).ok())
      MR_CHECK(SliceKey(name, slice) == key);
  }
}

void ReadV1(MemoryFiles* files, absl::string_view bytes) {
  auto file = *files->NewWritableFile(kPath);
  TableBuilder builder(file.get());
  for (const auto& [key, value] : Pieces(bytes))
    MR_CHECK(builder.Add(key, value).ok());
  MR_CHECK(builder.Finish().ok());
  auto reader = V1Reader::Open(files, kPath);
  if (!reader.ok()) return;
  LimitAllocator allocator;
  (void)(*reader)->ForEach(
      [&](absl::string_view name, const BundleEntry&) -> Status {
        (void)(*reader)->Lookup(name, &allocator).status();
        return OkStatus();
      });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const absl::string_view bytes(reinterpret_cast<const char*>(data) + 1,
                                size - 1);
  MemoryFiles files;
  switch (data[0] % 4) {
    case 0:
      ReadTable(&files, bytes);
      break;
    case 1:
      ReadTable(&files, AroundBlock(std::string(bytes)));
      break;
    case 2:
      ReadBundle(&files, bytes);
      break;
    case 3:
      ReadV1(&files, bytes);
      break;
  }
  return 0;
}
