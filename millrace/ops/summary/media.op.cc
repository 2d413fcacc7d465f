#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(ImageSummary){
    .inputs = "tag: string, tensor: T",
    .outputs = "summary: string",
    .attrs =
        "max_images: int >= 1 = 3; T: {uint8, float, half, double} = float; "
        "bad_color: tensor = uint8[255, 0, 0, 255]",
    .shape = shapes::Scalar,
    .doc =
        "The first pictures of a batch [batch, height, width, channels] as "
        "PNG. Numbers that are not uint8 are scaled by the largest magnitude "
        "of their picture, around 128 if there are negative ones; pixels that "
        "are not finite become `bad_color`.",
};

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

MR_OP(TensorSummary){
    .inputs = "tensor: T",
    .outputs = "summary: string",
    .attrs =
        "T: type; description: string = ''; labels: list(string) = []; "
        "display_name: string = ''",
    .shape = shapes::Scalar,
    .doc = "A tensor under the node's name.",
};
MR_OP(TensorSummaryV2){
    .inputs = "tag: string, tensor: T, serialized_summary_metadata: string",
    .outputs = "summary: string",
    .attrs = "T: type",
    .shape = shapes::Scalar,
    .doc = "A tensor under a tag, with a message for plug-ins.",
};

MR_OP(Timestamp){
    .outputs = "ts: double",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "Seconds since 1970 at the moment it runs.",
};

}  // namespace millrace::ops
