#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(AudioSummary){
    .inputs = "tag: string, tensor: float",
    .outputs = "summary: string",
    .attrs = "sample_rate: float; max_outputs: int >= 1 = 3",
    .shape = shapes::Scalar,
    .doc = "AudioSummaryV2 with the rate as an attribute.",
    .deprecated_version = 15,
    .deprecated_hint = "Use AudioSummaryV2.",
};

MR_OP(AudioSummaryV2){
    .inputs = "tag: string, tensor: float, sample_rate: float",
    .outputs = "summary: string",
    .attrs = "max_outputs: int >= 1 = 3",
    .shape = shapes::Scalar,
    .doc =
        "The first clips of a batch [batch, frames, channels] or [batch, "
        "frames] as WAV of 16 bits; samples are cut to [-1, 1].",
};

}  // namespace millrace::ops
