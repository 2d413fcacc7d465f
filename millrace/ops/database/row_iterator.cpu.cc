#include "millrace/ops/database/row_iterator.h"

#include <utility>

namespace millrace::ops {
namespace {

constexpr size_t kRowsPerRead = 256;
constexpr size_t kRowBytesPerRead = size_t{256} << 10;

size_t RowBytes(const Element& row) {
  size_t bytes = 0;
  for (const Tensor& t : row) {
    bytes += t.dtype() == DataType::kString ? t.scalar<StringElement>().size()
                                            : t.size_bytes();
  }
  return bytes;
}

}  // namespace

void RowIterator::Read::Run(IteratorRuntime& runtime) {
  size_t bytes = 0;
  while (rows.size() < kRowsPerRead && bytes < kRowBytesPerRead) {
    if (runtime.scope()->cancelled()) {
      status = runtime.scope()->status();
      return;
    }
    Element row;
    const StatusOr<bool> found = source->Next(runtime, &row);
    if (!found.ok()) {
      status = found.status();
      return;
    }
    if (!*found) {
      at_end = true;
      return;
    }
    if (pass_over > 0) {
      --pass_over;
      continue;
    }
    bytes += RowBytes(row);
    rows.push_back(std::move(row));
  }
}

StatusOr<Pull> RowIterator::Next(PollContext& ctx, Element* out) {
  for (;;) {
    if (call_.in_progress()) {
      MR_ASSIGN_OR_RETURN(const Pull pull, call_.Finish());
      if (pull == Pull::kPending) return pull;
      rows_ = std::exchange(read_->rows, {});
      error_ = std::exchange(read_->status, OkStatus());
      at_end_ = read_->at_end;
      next_ = 0;
    }
    if (next_ < rows_.size()) {
      *out = std::move(rows_[next_++]);
      ++taken_;
      return Pull::kElement;
    }
    if (!error_.ok()) return std::exchange(error_, OkStatus());
    if (at_end_) return Pull::kEnd;
    // The call keeps the runtime until it is over.
    MR_RETURN_IF_ERROR(
        call_.Start(ctx, [read = read_, runtime = &ctx.runtime()]() {
          read->Run(*runtime);
          return OkStatus();
        }));
  }
}

Status RowIterator::Save(StateWriter& out, const std::string& prefix) {
  out.Int(prefix + "rows", taken_);
  out.Int(prefix + "ended", at_end_ && next_ == rows_.size());
  return OkStatus();
}

Status RowIterator::Restore(StateReader& in, const std::string& prefix) {
  MR_ASSIGN_OR_RETURN(taken_, in.Count(prefix + "rows"));
  MR_ASSIGN_OR_RETURN(at_end_, in.Flag(prefix + "ended"));
  read_->pass_over = taken_;
  return OkStatus();
}

}  // namespace millrace::ops
