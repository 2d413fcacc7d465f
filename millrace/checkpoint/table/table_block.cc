#include "millrace/checkpoint/table/table_block.h"

#include <algorithm>

#include "millrace/base/check.h"
#include "millrace/base/coding.h"

namespace millrace {

void BlockBuilder::Add(absl::string_view key, absl::string_view value) {
  MR_DCHECK(entries_.empty() || key > last_key_);
  size_t shared = 0;
  if (since_restart_ < restart_interval_) {
    const size_t limit = std::min(key.size(), last_key_.size());
    while (shared < limit && key[shared] == last_key_[shared]) ++shared;
  } else {
    restarts_.push_back(static_cast<uint32_t>(entries_.size()));
    since_restart_ = 0;
  }
  PutVarint32(&entries_, static_cast<uint32_t>(shared));
  PutVarint32(&entries_, static_cast<uint32_t>(key.size() - shared));
  PutVarint32(&entries_, static_cast<uint32_t>(value.size()));
  entries_.append(key.data() + shared, key.size() - shared);
  entries_.append(value.data(), value.size());
  last_key_.assign(key.data(), key.size());
  ++since_restart_;
}

std::string BlockBuilder::Finish() {
  std::string block = std::move(entries_);
  for (uint32_t offset : restarts_) PutFixed32(&block, offset);
  PutFixed32(&block, static_cast<uint32_t>(restarts_.size()));
  entries_.clear();
  restarts_.assign(1, 0);
  last_key_.clear();
  since_restart_ = 0;
  return block;
}

StatusOr<std::shared_ptr<const Block>> Block::Parse(std::string contents,
                                                    MemoryCharge charge) {
  const size_t size = contents.size();
  if (size < 4) return DataLoss("Block is too short");
  const uint64_t restarts = LoadFixed<uint32_t>(contents.data() + size - 4);
  if (restarts == 0 || restarts * 4 > size - 4) {
    return DataLoss("Bad number of restarts in a block");
  }
  std::shared_ptr<Block> block(new Block);
  block->contents_ = std::move(contents);
  block->charge_ = std::move(charge);
  block->num_restarts_ = restarts;
  block->entries_size_ = size - 4 - restarts * 4;
  return std::shared_ptr<const Block>(std::move(block));
}

uint32_t Block::restart(size_t i) const {
  return LoadFixed<uint32_t>(contents_.data() + entries_size_ + 4 * i);
}

void BlockIterator::Corrupt() {
  status_ = DataLoss("Bad entry in a block");
  valid_ = false;
}

void BlockIterator::Load(size_t offset) {
  const absl::string_view entries = block_->entries();
  if (offset >= entries.size()) {
    if (offset > entries.size()) return Corrupt();
    valid_ = false;
    return;
  }
  absl::string_view in = entries.substr(offset);
  uint32_t shared = 0;
  uint32_t unshared = 0;
  uint32_t value_size = 0;
  if (!GetVarint32(&in, &shared) || !GetVarint32(&in, &unshared) ||
      !GetVarint32(&in, &value_size) || shared > key_.size() ||
      unshared > in.size() || value_size > in.size() - unshared) {
    return Corrupt();
  }
  key_.resize(shared);
  key_.append(in.data(), unshared);
  value_ = in.substr(unshared, value_size);
  next_ = static_cast<size_t>(value_.data() + value_.size() - entries.data());
  valid_ = true;
}

void BlockIterator::SeekToFirst() {
  status_ = OkStatus();
  key_.clear();
  Load(0);
}

void BlockIterator::Next() { Load(next_); }

void BlockIterator::Seek(absl::string_view target) {
  status_ = OkStatus();
  // Finds the last restart point whose key is before the target.
  size_t low = 0;
  size_t high = block_->num_restarts() - 1;
  while (low < high) {
    const size_t middle = (low + high + 1) / 2;
    key_.clear();
    Load(block_->restart(middle));
    if (!valid_) return Corrupt();
    if (key_ < target) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  key_.clear();
  for (Load(block_->restart(low)); valid_ && key_ < target;) Next();
}

}  // namespace millrace
