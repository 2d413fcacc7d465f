#include "millrace/ops/nn/bias_add.op.h"
#include "millrace/ops/quantize/range_shapes.op.h"

namespace millrace::ops {
namespace {

#define MR_OPERANDS \
  "x: T1, y: T2, min_x: float, max_x: float, min_y: float, max_y: float"
#define MR_OPERAND_TYPES                            \
  "T1: quantizedtype; T2: quantizedtype; Toutput: " \
  "quantizedtype = qint32"
#define MR_ACTIVATIONS \
  "activations: out_type, min_activations: float, max_activations: float"
#define MR_ACTIVATION_TYPES \
  "Tinput: quantizedtype; out_type: quantizedtype = quint8"

// Returns the schema of an activation whose limit is not an input.
consteval OpFields QuantizedActivation(const char* doc) {
  return {
      .inputs = "features: Tinput, min_features: float, max_features: float",
      .outputs = MR_ACTIVATIONS,
      .attrs = MR_ACTIVATION_TYPES,
      .shape = UnchangedWithRanges<2>,
      .doc = doc,
  };
}

}  // namespace

MR_OP(QuantizedAdd){
    .inputs = MR_OPERANDS,
    .outputs = "z: Toutput, min_z: float, max_z: float",
    .attrs = MR_OPERAND_TYPES,
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(shapes::Broadcast(c));
      SetScalars(c, 1, 3);
      return RequireScalars(c, 2, 6);
    },
    .doc = "x + y of quantized numbers, in a range with room for both.",
};
MR_OP(QuantizedMul){
    .inputs = MR_OPERANDS,
    .outputs = "z: Toutput, min_z: float, max_z: float",
    .attrs = MR_OPERAND_TYPES,
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(shapes::Broadcast(c));
      SetScalars(c, 1, 3);
      return OkStatus();
    },
    .doc = "x y of quantized numbers, exact in 32 bits.",
};
MR_OP(QuantizedBiasAdd){
    .inputs =
        "input: T1, bias: T2, min_input: float, max_input: float, min_bias: "
        "float, max_bias: float",
    .outputs = "output: out_type, min_out: float, max_out: float",
    .attrs = "T1: quantizedtype; T2: quantizedtype; out_type: quantizedtype",
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(BiasAddShape(c));
      SetScalars(c, 1, 3);
      return RequireScalars(c, 2, 6);
    },
    .doc = "BiasAdd of quantized numbers, in a range with room for both.",
};
MR_OP(QuantizedRelu){QuantizedActivation("At least 0; the range stays.")};
MR_OP(QuantizedRelu6){QuantizedActivation("From 0 to 6; the range stays.")};
MR_OP(QuantizedReluX){
    .inputs =
        "features: Tinput, max_value: float, min_features: float, "
        "max_features: float",
    .outputs = MR_ACTIVATIONS,
    .attrs = MR_ACTIVATION_TYPES,
    .shape = UnchangedWithRanges<3>,
    .doc = "From 0 to max_value. TensorFlow has no kernel for it either.",
};

}  // namespace millrace::ops
