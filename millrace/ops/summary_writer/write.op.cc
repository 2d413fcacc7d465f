#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

constexpr char kScalarSummaryTypes[] =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, "
    "half, uint32, uint64}";
constexpr char kHistogramSummaryTypes[] =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, "
    "half, uint32, uint64, bool} = 'float'";

}  // namespace

MR_OP(WriteSummary){
    .inputs =
        "writer: resource, step: int64, tensor: T, tag: string, "
        "summary_metadata: string",
    .attrs = "T: type",
    .flags = kStateful | kKeepsInputs,
    .shape = shapes::NoOutputs,
    .doc = "Writes a tensor, with a serialized SummaryMetadata.",
};

MR_OP(WriteScalarSummary){
    .inputs = "writer: resource, step: int64, tag: string, value: T",
    .attrs = kScalarSummaryTypes,
    .flags = kStateful | kKeepsInputs,
    .shape = shapes::NoOutputs,
    .doc = "Writes a number.",
};

MR_OP(WriteHistogramSummary){
    .inputs = "writer: resource, step: int64, tag: string, values: T",
    .attrs = kHistogramSummaryTypes,
    .flags = kStateful | kKeepsInputs,
    .shape = shapes::NoOutputs,
    .doc = "Writes a histogram of numbers.",
};

MR_OP(WriteImageSummary){
    .inputs =
        "writer: resource, step: int64, tag: string, tensor: T, bad_color: "
        "uint8",
    .attrs =
        "max_images: int >= 1 = 3; T: {uint8, double, float, half} = 'float'",
    .flags = kStateful | kKeepsInputs,
    .shape = shapes::NoOutputs,
    .doc =
        "Writes the first images of a batch [images, height, width, channels] "
        "as PNG.",
};

MR_OP(WriteAudioSummary){
    .inputs =
        "writer: resource, step: int64, tag: string, tensor: float, "
        "sample_rate: float",
    .attrs = "max_outputs: int >= 1 = 3",
    .flags = kStateful | kKeepsInputs,
    .shape = shapes::NoOutputs,
    .doc =
        "Writes the first clips of a batch [clips, samples, channels] or "
        "[clips, samples] as WAV.",
};

MR_OP(WriteGraphSummary){
    .inputs = "writer: resource, step: int64, tensor: string",
    .flags = kStateful | kKeepsInputs,
    .shape = shapes::NoOutputs,
    .doc = "Writes a serialized GraphDef.",
};

MR_OP(WriteRawProtoSummary){
    .inputs = "writer: resource, step: int64, tensor: string",
    .flags = kStateful | kKeepsInputs,
    .shape = shapes::NoOutputs,
    .doc = "Writes serialized Summary messages as one.",
};

MR_OP(ImportEvent){
    .inputs = "writer: resource, event: string",
    .flags = kStateful | kKeepsInputs,
    .shape = shapes::NoOutputs,
    .doc = "Writes a serialized Event, with its own time and step.",
};

}  // namespace millrace::ops
