#include "millrace/checkpoint/bundle/bundle_reader.h"

#include <algorithm>
#include <cstring>

#include "millrace/base/hash/crc32c.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/checkpoint/bundle/string_tensor.h"
#include "millrace/checkpoint/bundle/variant_elements.h"
#include "millrace/checkpoint/checkpoint_paths.h"
#include "millrace/tensor/bool_bytes.h"

namespace millrace {
namespace {

// Bytes that are read and then checksummed while they are in the cache.
constexpr int64_t kPieceBytes = int64_t{256} << 10;

Status ChecksumError(const BundleEntry& entry, uint32_t crc) {
  return DataLoss("Checksum does not match: stored ", entry.crc32c,
                  " vs. calculated on the bytes ", crc32c::Mask(crc));
}

Status ReadExactly(const RandomAccessFile& file, int64_t offset, int64_t n,
                   char* to) {
  MR_ASSIGN_OR_RETURN(
      const size_t read,
      file.Read(static_cast<uint64_t>(offset), static_cast<size_t>(n), to));
  if (read != static_cast<size_t>(n))
    return DataLoss("Data file of a checkpoint is truncated");
  return OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<BundleReader>> BundleReader::Open(
    FileSystem* files, const std::string& prefix) {
  std::unique_ptr<BundleReader> reader(new BundleReader(files, prefix));
  auto file = files->NewRandomAccessFile(IndexFilename(prefix));
  if (file.status().code() == StatusCode::kNotFound) {
    return NotFound(
        "Unsuccessful TensorSliceReader constructor: Failed to find any "
        "matching files for ",
        prefix);
  }
  MR_RETURN_IF_ERROR(file.status());
  const auto in_file = [&](const Status& status) {
    return Annotate(status,
                    absl::StrCat(" (file ", IndexFilename(prefix), ")"));
  };
  auto table = Table::Open(*std::move(file));
  if (!table.ok()) return in_file(table.status());
  reader->index_ = *std::move(table);
  auto header = reader->index_->Get(kBundleHeaderKey);
  if (!header.ok()) return in_file(header.status());
  if (!header->has_value())
    return in_file(DataLoss("The index of a checkpoint has no header"));
  auto num_shards = ParseBundleHeader(**header);
  if (!num_shards.ok()) return in_file(num_shards.status());
  reader->num_shards_ = *num_shards;
  reader->shards_.resize(static_cast<size_t>(*num_shards));
  return reader;
}

StatusOr<BundleEntry> BundleReader::FindKey(absl::string_view key,
                                            absl::string_view name) const {
  MR_ASSIGN_OR_RETURN(const std::optional<std::string> value, index_->Get(key));
  if (!value.has_value())
    return NotFound("Key ", name, " not found in checkpoint");
  auto entry = ParseBundleEntry(*value, num_shards_);
  if (!entry.ok())
    return Annotate(entry.status(), absl::StrCat(" (key ", name, ")"));
  return entry;
}

StatusOr<BundleEntry> BundleReader::Find(absl::string_view name) const {
  if (name.empty()) return NotFound("Key ", name, " not found in checkpoint");
  return FindKey(name, name);
}

StatusOr<const BundleReader::Shard*> BundleReader::OpenShard(int shard) const {
  MutexLock lock(mu_);
  std::unique_ptr<Shard>& slot = shards_[static_cast<size_t>(shard)];
  if (slot == nullptr) {
    auto opened = std::make_unique<Shard>();
    MR_ASSIGN_OR_RETURN(opened->file, files_->NewRandomAccessFile(DataFilename(
                                          prefix_, shard, num_shards_)));
    MR_ASSIGN_OR_RETURN(opened->size_bytes, opened->file->Size());
    slot = std::move(opened);
  }
  return slot.get();
}

StatusOr<const RandomAccessFile*> BundleReader::FileOf(
    const BundleEntry& entry) const {
  MR_ASSIGN_OR_RETURN(const Shard* shard, OpenShard(entry.shard));
  // No overflow: ParseBundleEntry checked the sum.
  if (static_cast<uint64_t>(entry.offset + entry.size_bytes) >
      shard->size_bytes) {
    return DataLoss("Data file of a checkpoint is truncated: ",
                    DataFilename(prefix_, entry.shard, num_shards_), " has ",
                    shard->size_bytes, " bytes, but a tensor ends at ",
                    entry.offset + entry.size_bytes);
  }
  return shard->file.get();
}

StatusOr<Tensor> BundleReader::ReadEntry(const BundleEntry& entry,
                                         Allocator* allocator) const {
  MR_ASSIGN_OR_RETURN(const RandomAccessFile* file, FileOf(entry));
  if (entry.dtype == DataType::kString || entry.dtype == DataType::kVariant) {
    MemoryCharge charge;
    MR_RETURN_IF_ERROR(charge.Set(entry.size_bytes, "strings of a checkpoint"));
    std::string bytes(static_cast<size_t>(entry.size_bytes), '\0');
    MR_RETURN_IF_ERROR(
        ReadExactly(*file, entry.offset, entry.size_bytes, bytes.data()));
    MR_ASSIGN_OR_RETURN(Tensor tensor,
                        Tensor::Allocate(allocator, entry.dtype, entry.shape));
    MR_RETURN_IF_ERROR(
        entry.dtype == DataType::kString
            ? DecodeStrings(bytes, entry.crc32c,
                            tensor.mutable_flat<StringElement>())
            : ReadVariantElements(bytes, entry.crc32c, allocator,
                                  tensor.mutable_flat<VariantElement>()));
    return tensor;
  }
  if (!IsPlain(entry.dtype)) {
    return Unimplemented("Tensors of dtype ", DataTypeName(entry.dtype),
                         " cannot be read from a checkpoint");
  }
  MR_ASSIGN_OR_RETURN(Tensor tensor,
                      Tensor::Allocate(allocator, entry.dtype, entry.shape));
  char* const to = tensor.mutable_data();
  uint32_t crc = 0;
  for (int64_t done = 0; done < entry.size_bytes;) {
    const int64_t n = std::min(kPieceBytes, entry.size_bytes - done);
    MR_RETURN_IF_ERROR(ReadExactly(*file, entry.offset + done, n, to + done));
    crc = crc32c::Extend(crc, to + done, static_cast<size_t>(n));
    done += n;
  }
  if (crc32c::Mask(crc) != entry.crc32c) return ChecksumError(entry, crc);
  CleanBools(entry.dtype, to, static_cast<size_t>(entry.size_bytes));
  return tensor;
}

Status BundleReader::ReadPart(const BundleEntry& entry, const Box& stored,
                              const Box& wanted, Tensor* out) const {
  BoxRuns runs(stored, wanted);
  BoxRuns::Run run;
  if (!IsPlain(entry.dtype)) {
    MR_ASSIGN_OR_RETURN(const Tensor whole, ReadEntry(entry, HostAllocator()));
    const auto copy = [&]<class E>(absl::Span<const E> from, absl::Span<E> to) {
      while (runs.Next(&run)) {
        for (int64_t i = 0; i < run.count; ++i) {
          to[static_cast<size_t>(run.to + i)] =
              from[static_cast<size_t>(run.from + i)];
        }
      }
    };
    if (entry.dtype == DataType::kString) {
      copy(whole.flat<StringElement>(), out->mutable_flat<StringElement>());
    } else {
      copy(whole.flat<VariantElement>(), out->mutable_flat<VariantElement>());
    }
    return OkStatus();
  }
  // All of it must be read for the checksum, but only one piece is in memory.
  MR_ASSIGN_OR_RETURN(const RandomAccessFile* file, FileOf(entry));
  const int64_t width = static_cast<int64_t>(SizeOf(entry.dtype));
  char* const to = out->mutable_data();
  std::string piece(
      static_cast<size_t>(std::min(kPieceBytes, entry.size_bytes)), '\0');
  uint32_t crc = 0;
  bool more = runs.Next(&run);
  for (int64_t begin = 0; begin < entry.size_bytes;) {
    const int64_t end = std::min(begin + kPieceBytes, entry.size_bytes);
    MR_RETURN_IF_ERROR(
        ReadExactly(*file, entry.offset + begin, end - begin, piece.data()));
    crc = crc32c::Extend(crc, piece.data(), static_cast<size_t>(end - begin));
    while (more && run.from * width < end) {
      const int64_t run_begin = run.from * width;
      const int64_t run_end = run_begin + run.count * width;
      const int64_t copy_begin = std::max(begin, run_begin);
      const int64_t copy_end = std::min(end, run_end);
      char* const at = to + run.to * width + (copy_begin - run_begin);
      const auto size = static_cast<size_t>(copy_end - copy_begin);
      std::memcpy(at, piece.data() + (copy_begin - begin), size);
      CleanBools(entry.dtype, at, size);
      if (run_end > end) break;  // continues in the next piece
      more = runs.Next(&run);
    }
    begin = end;
  }
  if (crc32c::Mask(crc) != entry.crc32c) return ChecksumError(entry, crc);
  return OkStatus();
}

StatusOr<Tensor> BundleReader::Lookup(absl::string_view name,
                                      Allocator* allocator) const {
  MR_ASSIGN_OR_RETURN(const BundleEntry entry, Find(name));
  auto tensor =
      entry.slices.empty()
          ? ReadEntry(entry, allocator)
          : Assemble(name, entry, TensorSlice::Full(entry.shape.rank()),
                     allocator);
  if (!tensor.ok())
    return Annotate(tensor.status(), absl::StrCat(" (tensor ", name, ")"));
  return tensor;
}

StatusOr<Tensor> BundleReader::LookupSlice(absl::string_view name,
                                           const TensorSlice& slice,
                                           Allocator* allocator) const {
  MR_ASSIGN_OR_RETURN(const BundleEntry entry, Find(name));
  auto tensor = entry.slices.empty() && slice.Covers(entry.shape)
                    ? ReadEntry(entry, allocator)
                    : Assemble(name, entry, slice, allocator);
  if (!tensor.ok())
    return Annotate(tensor.status(), absl::StrCat(" (tensor ", name, ")"));
  return tensor;
}

StatusOr<Tensor> BundleReader::Assemble(absl::string_view name,
                                        const BundleEntry& full,
                                        const TensorSlice& slice,
                                        Allocator* allocator) const {
  MR_ASSIGN_OR_RETURN(const TensorShape shape, slice.SliceShape(full.shape));
  if (full.dtype == DataType::kResource) {
    return Unimplemented("Tensors of dtype ", DataTypeName(full.dtype),
                         " cannot be read from a checkpoint");
  }
  const Box wanted = BoxOf(slice, full.shape);
  std::vector<Box> stored;
  for (const TensorSlice& s : full.slices)
    stored.push_back(BoxOf(s, full.shape));
  if (full.slices.empty()) {
    stored.push_back(BoxOf(TensorSlice::Full(full.shape.rank()), full.shape));
  }
  auto cover = SelectCover(stored, wanted);
  if (cover.status().code() == StatusCode::kNotFound) {
    return InvalidArgument(
        "Does not have sufficient slices for partitioned tensor ", name,
        " to restore in slice_spec: ", slice.DebugString());
  }
  MR_RETURN_IF_ERROR(cover.status());
  // All entries and sizes come first, so that a wrong entry cannot cause an
  // allocation.
  std::vector<BundleEntry> entries;
  for (size_t i : *cover) {
    MR_RETURN_IF_ERROR(Check());
    if (full.slices.empty()) {
      entries.push_back(full);
    } else {
      const TensorSlice& part = full.slices[i];
      MR_ASSIGN_OR_RETURN(BundleEntry entry,
                          FindKey(SliceKey(name, part), name));
      MR_ASSIGN_OR_RETURN(const TensorShape part_shape,
                          part.SliceShape(full.shape));
      if (!entry.slices.empty() || entry.dtype != full.dtype ||
          !(entry.shape == part_shape)) {
        return DataLoss("Slice ", part.DebugString(),
                        " is not what the entry of the tensor says");
      }
      entries.push_back(std::move(entry));
    }
    MR_RETURN_IF_ERROR(FileOf(entries.back()).status());
  }
  if (entries.size() == 1 && stored[(*cover)[0]].start == wanted.start &&
      stored[(*cover)[0]].length == wanted.length) {
    return ReadEntry(entries[0], allocator);
  }
  MR_ASSIGN_OR_RETURN(Tensor out,
                      Tensor::Allocate(allocator, full.dtype, shape));
  for (size_t k = 0; k < entries.size(); ++k) {
    MR_RETURN_IF_ERROR(Check());
    MR_RETURN_IF_ERROR(ReadPart(entries[k], stored[(*cover)[k]], wanted, &out));
  }
  return out;
}

Status BundleReader::ForEachRaw(
    absl::FunctionRef<Status(absl::string_view key, absl::string_view value)>
        visit) const {
  Table::Iterator it = index_->NewIterator();
  for (it.SeekToFirst(); it.valid(); it.Next()) {
    if (it.key() != kBundleHeaderKey)
      MR_RETURN_IF_ERROR(visit(it.key(), it.value()));
  }
  return it.status();
}

Status BundleReader::ForEach(Visitor visit) const {
  return ForEachRaw(
      [&](absl::string_view key, absl::string_view value) -> Status {
        if (IsSliceKey(key)) return OkStatus();
        auto entry = ParseBundleEntry(value, num_shards_);
        if (!entry.ok())
          return Annotate(entry.status(), absl::StrCat(" (key ", key, ")"));
        return visit(key, *entry);
      });
}

Status BundleReader::CheckComplete() const {
  for (int shard = 0; shard < num_shards_; ++shard) {
    MR_RETURN_IF_ERROR(OpenShard(shard).status());
  }
  return ForEachRaw([&](absl::string_view, absl::string_view value) -> Status {
    MR_ASSIGN_OR_RETURN(const BundleEntry entry,
                        ParseBundleEntry(value, num_shards_));
    return entry.slices.empty() ? FileOf(entry).status() : OkStatus();
  });
}

}  // namespace millrace
