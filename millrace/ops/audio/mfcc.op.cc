#include "millrace/graph/attr/int32_attr.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status MfccShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape spectrogram, c.WithRank(0, 3));
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  MR_ASSIGN_OR_RETURN(const int64_t coefficients,
                      c.Attr<int64_t>("dct_coefficient_count"));
  MR_RETURN_IF_ERROR(CheckInt32Attr("dct_coefficient_count", coefficients));
  return c.Return(PartialShape(
      {ShapeContext::Dim(spectrogram, 0), ShapeContext::Dim(spectrogram, 1),
       coefficients < 0 ? kUnknownDim : coefficients}));
}

}  // namespace

MR_OP(Mfcc){
    .inputs = "spectrogram: float, sample_rate: int32",
    .outputs = "output: float",
    .attrs =
        "upper_frequency_limit: float = 4000; lower_frequency_limit: float = "
        "20; filterbank_channel_count: int = 40; dct_coefficient_count: int = "
        "13",
    .shape = MfccShape,
    .doc =
        "The mel-frequency cepstral coefficients of squared spectrograms "
        "[channels, windows, frequencies], as [channels, windows, "
        "coefficients].",
};

}  // namespace millrace::ops
