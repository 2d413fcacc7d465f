#include "python/binding/big_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "millrace/base/memory/non_temporal.h"
#include "millrace/base/threads/lanes.h"

namespace millrace::python {
namespace {

constexpr int64_t kPiece = 256 << 10;
constexpr int64_t kPieceNanos = 25'000;
// From here on a copy is written past the caches, whatever size these say they
// have: they are shared with other machines where this one is virtual.
constexpr int64_t kPastCachesBytes = 16 << 20;

}  // namespace

StatusOr<Tensor> BigCopy(const Tensor& tensor) {
  MR_ASSIGN_OR_RETURN(
      Tensor copy,
      Tensor::Allocate(HostAllocator(), tensor.dtype(), tensor.shape()));
  char* const to = copy.mutable_data();
  const char* const from = tensor.data();
  const int64_t size = static_cast<int64_t>(tensor.size_bytes());
  Lanes::Process().intra_op.ParallelFor(
      (size + kPiece - 1) / kPiece, kPieceNanos, [&](int64_t b, int64_t e) {
        const int64_t begin = b * kPiece;
        const size_t part =
            static_cast<size_t>(std::min(e * kPiece, size) - begin);
        if (size < kPastCachesBytes) {
          std::memcpy(to + begin, from + begin, part);
        } else {
          NonTemporalCopy(from + begin, to + begin, part);
          NonTemporalFence();
        }
      });
  return copy;
}

}  // namespace millrace::python
