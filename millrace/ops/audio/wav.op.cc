#include "millrace/graph/attr/int32_attr.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// Returns a size that an attribute asks for; unknown if it is -1.
StatusOr<int64_t> WantedSize(const ShapeContext& c, const char* attr,
                             const char* what) {
  MR_ASSIGN_OR_RETURN(const int64_t size, c.Attr<int64_t>(attr));
  MR_RETURN_IF_ERROR(CheckInt32Attr(attr, size));
  if (size == -1) return kUnknownDim;
  if (size < 0) {
    return InvalidArgument(what, " must be non-negative, got ", size);
  }
  return size;
}

Status DecodeWavShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  MR_ASSIGN_OR_RETURN(const int64_t channels,
                      WantedSize(c, "desired_channels", "channels"));
  MR_ASSIGN_OR_RETURN(const int64_t samples,
                      WantedSize(c, "desired_samples", "samples"));
  c.set_output(0, PartialShape({samples, channels}));
  c.set_output(1, PartialShape(DimVector()));
  return OkStatus();
}

Status EncodeWavShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 2).status());
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  return shapes::Scalar(c);
}

}  // namespace

MR_OP(DecodeWav){
    .inputs = "contents: string",
    .outputs = "audio: float, sample_rate: int32",
    .attrs = "desired_channels: int = -1; desired_samples: int = -1",
    .shape = DecodeWavShape,
    .doc =
        "The samples [samples, channels] of a WAV file of 16 bits a sample. "
        "Channels that the file lacks are as its last one, samples are 0.",
};

MR_OP(EncodeWav){
    .inputs = "audio: float, sample_rate: int32",
    .outputs = "contents: string",
    .shape = EncodeWavShape,
    .doc =
        "Samples [samples, channels] as a WAV file of 16 bits a sample; they "
        "are cut to [-1, 1].",
};

}  // namespace millrace::ops
