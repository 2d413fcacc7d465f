#include "millrace/ops/nn/channel_pieces.h"

#include "millrace/ops/pooling/window.op.h"

namespace millrace::ops {

StatusOr<ChannelLayout> ChannelLayoutOf(const std::string& format,
                                        const TensorShape& s) {
  MR_ASSIGN_OR_RETURN(const ImageLayout image, LayoutOf(format));
  if (s.rank() != image.rank() && !(s.rank() == 4 || s.rank() == 5)) {
    return InvalidArgument("input must be 4 or 5-dimensional", s.DebugString());
  }
  const int channel = image.channels_first ? 1 : s.rank() - 1;
  // With one pixel an image, channels are last in either format.
  return ChannelLayout{s.NumElements(0, channel), s.dim(channel),
                       s.NumElements(channel + 1, s.rank())};
}

Status CheckChannels(const Tensor& t, const char* what, int64_t channels) {
  if (t.rank() != 1) {
    return InvalidArgument(what, " must be 1-dimensional",
                           t.shape().DebugString());
  }
  if (t.dim(0) != channels) {
    return InvalidArgument(what,
                           " must have the same number of elements as "
                           "the channels of x, got ",
                           t.dim(0), " and ", channels);
  }
  return OkStatus();
}

}  // namespace millrace::ops
