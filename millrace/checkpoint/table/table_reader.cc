#include "millrace/checkpoint/table/table_reader.h"

namespace millrace {
namespace {

constexpr size_t kCachedBlockBytes = size_t{1} << 20;
constexpr size_t kCacheBytes = size_t{64} << 20;

}  // namespace

StatusOr<std::unique_ptr<Table>> Table::Open(
    std::unique_ptr<RandomAccessFile> file) {
  MR_ASSIGN_OR_RETURN(const uint64_t size, file->Size());
  if (size < kTableFooterBytes)
    return DataLoss("File is too short to be an sstable");
  char bytes[kTableFooterBytes];
  const uint64_t blocks_end = size - kTableFooterBytes;
  MR_ASSIGN_OR_RETURN(const size_t read,
                      file->Read(blocks_end, kTableFooterBytes, bytes));
  MR_ASSIGN_OR_RETURN(const TableFooter footer,
                      TableFooter::Parse({bytes, read}));
  std::unique_ptr<Table> table(new Table(std::move(file)));
  table->blocks_end_ = blocks_end;
  // The block is empty, but no byte of the file goes unchecked.
  MR_RETURN_IF_ERROR(table->ReadBlock(footer.metaindex).status());
  MR_ASSIGN_OR_RETURN(table->index_, table->ReadBlock(footer.index));
  return table;
}

StatusOr<std::shared_ptr<const Block>> Table::ReadBlock(
    const BlockHandle& handle) const {
  if (handle.size_bytes > blocks_end_ ||
      handle.size_bytes + kBlockTrailerBytes > blocks_end_ ||
      handle.offset > blocks_end_ - handle.size_bytes - kBlockTrailerBytes) {
    return DataLoss("Block handle points outside of the file");
  }
  MemoryCharge charge;
  MR_RETURN_IF_ERROR(
      charge.Set(static_cast<int64_t>(handle.size_bytes + kBlockTrailerBytes),
                 "a block of an sstable"));
  std::string bytes(handle.size_bytes + kBlockTrailerBytes, '\0');
  MR_ASSIGN_OR_RETURN(const size_t read,
                      file_->Read(handle.offset, bytes.size(), bytes.data()));
  if (read != bytes.size()) return DataLoss("Truncated block read");
  MR_RETURN_IF_ERROR(CheckBlockTrailer(bytes));
  bytes.resize(handle.size_bytes);
  return Block::Parse(std::move(bytes), std::move(charge));
}

StatusOr<std::shared_ptr<const Block>> Table::ReadCached(
    const BlockHandle& handle) const {
  {
    MutexLock lock(mu_);
    auto it = cache_.find(handle.offset);
    if (it != cache_.end() && it->second->size_bytes() == handle.size_bytes)
      return it->second;
  }
  MR_ASSIGN_OR_RETURN(std::shared_ptr<const Block> block, ReadBlock(handle));
  if (block->size_bytes() <= kCachedBlockBytes) {
    MutexLock lock(mu_);
    if (cached_bytes_ + block->size_bytes() <= kCacheBytes &&
        cache_.emplace(handle.offset, block).second) {
      cached_bytes_ += block->size_bytes();
    }
  }
  return block;
}

Table::Iterator Table::NewIterator() const { return Iterator(this); }

StatusOr<std::optional<std::string>> Table::Get(absl::string_view key) const {
  Iterator it = NewIterator();
  it.Seek(key);
  MR_RETURN_IF_ERROR(it.status());
  if (!it.valid() || it.key() != key) return std::optional<std::string>();
  return std::optional<std::string>(std::string(it.value()));
}

bool Table::Iterator::OpenBlock() {
  data_.reset();
  if (!index_.valid()) {
    status_ = index_.status();
    return false;
  }
  BlockHandle handle;
  absl::string_view value = index_.value();
  if (!handle.TakeFrom(&value) || !value.empty()) {
    status_ = DataLoss("Bad block handle in the index of an sstable");
    return false;
  }
  // One block under many keys would be read again and again.
  if (handle.offset < next_offset_) {
    status_ = DataLoss("Blocks of an sstable are not in ascending order");
    return false;
  }
  auto block = table_->ReadCached(handle);
  if (!block.ok()) {
    status_ = block.status();
    return false;
  }
  // No overflow: the block lies in the file.
  next_offset_ = handle.offset + handle.size_bytes + kBlockTrailerBytes;
  data_.emplace(*std::move(block));
  return true;
}

void Table::Iterator::SkipToNextBlock() {
  if (data_->valid()) return;
  status_ = data_->status();
  if (!status_.ok()) return data_.reset();
  index_.Next();
  if (!OpenBlock()) return;
  data_->SeekToFirst();
  if (data_->valid()) return;
  status_ = data_->status();
  // Nobody writes such a block, and looking behind many would take long.
  if (status_.ok()) status_ = DataLoss("A block of an sstable is empty");
  data_.reset();
}

void Table::Iterator::SeekToFirst() {
  status_ = OkStatus();
  next_offset_ = 0;
  index_.SeekToFirst();
  if (!OpenBlock()) return;
  data_->SeekToFirst();
  SkipToNextBlock();
}

void Table::Iterator::Seek(absl::string_view target) {
  status_ = OkStatus();
  next_offset_ = 0;
  index_.Seek(target);
  if (!OpenBlock()) return;
  data_->Seek(target);
  SkipToNextBlock();
}

void Table::Iterator::Next() {
  data_->Next();
  SkipToNextBlock();
}

}  // namespace millrace
