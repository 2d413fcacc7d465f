#include "millrace/checkpoint/table/table_builder.h"

namespace millrace {
namespace {

std::string Encode(const BlockHandle& handle) {
  std::string bytes;
  handle.AppendTo(&bytes);
  return bytes;
}

}  // namespace

TableBuilder::TableBuilder(WritableFile* file, TableOptions options)
    : file_(file),
      options_(options),
      data_(options.restart_interval),
      index_(1) {}

Status TableBuilder::Add(absl::string_view key, absl::string_view value) {
  MR_RETURN_IF_ERROR(status_);
  if (any_ && key <= last_key_) {
    return FailedPrecondition("Keys of a table must ascend; \"", key,
                              "\" came after \"", last_key_, "\"");
  }
  // Lengths and offsets in a block have 32 bits.
  if (key.size() > (size_t{1} << 30) || value.size() > (size_t{1} << 31)) {
    return InvalidArgument("Entry is too large for a table: key of ",
                           key.size(), " bytes, value of ", value.size(),
                           " bytes");
  }
  if (pending_) {
    index_.Add(ShortestSeparator(last_key_, key), Encode(pending_handle_));
    pending_ = false;
  }
  any_ = true;
  last_key_.assign(key.data(), key.size());
  data_.Add(key, value);
  if (data_.size_bytes() >= options_.block_bytes) return FlushData();
  return OkStatus();
}

Status TableBuilder::FlushData() {
  auto handle = WriteBlock(data_.Finish());
  if (!handle.ok()) return status_ = handle.status();
  pending_handle_ = *handle;
  pending_ = true;
  return OkStatus();
}

StatusOr<BlockHandle> TableBuilder::WriteBlock(absl::string_view block) {
  BlockHandle handle{offset_, block.size()};
  MR_RETURN_IF_ERROR(file_->Append(block));
  MR_RETURN_IF_ERROR(file_->Append(EncodeBlockTrailer(block)));
  offset_ += block.size() + kBlockTrailerBytes;
  return handle;
}

Status TableBuilder::Finish() {
  MR_RETURN_IF_ERROR(status_);
  if (!data_.empty()) MR_RETURN_IF_ERROR(FlushData());
  if (pending_) index_.Add(ShortSuccessor(last_key_), Encode(pending_handle_));
  pending_ = false;
  TableFooter footer;
  MR_ASSIGN_OR_RETURN(
      footer.metaindex,
      WriteBlock(BlockBuilder(options_.restart_interval).Finish()));
  MR_ASSIGN_OR_RETURN(footer.index, WriteBlock(index_.Finish()));
  MR_RETURN_IF_ERROR(file_->Append(footer.Encode()));
  offset_ += kTableFooterBytes;
  status_ = FailedPrecondition("The table is finished");
  return OkStatus();
}

}  // namespace millrace
