// The ops that quantization looks for in a network, and those that it makes.
#pragma once

#include "millrace/graph/builtin_ops.h"

namespace millrace::train::op_types {

using builtin::kConst;
using builtin::kIdentity;

// Layers, and what follows them.
inline constexpr char kMatMul[] = "MatMul";
inline constexpr char kConv2D[] = "Conv2D";
inline constexpr char kBiasAdd[] = "BiasAdd";
inline constexpr char kAdd[] = "Add";
inline constexpr char kAddV2[] = "AddV2";
inline constexpr char kRelu[] = "Relu";
inline constexpr char kRelu6[] = "Relu6";

// Sums of products that have no 8-bit form here, also with a version behind.
inline constexpr const char* kOtherSums[] = {"BatchMatMul",
                                             "Conv2DBackpropInput", "Conv3D",
                                             "DepthwiseConv2dNative", "Einsum"};

// Ops that bytes pass through, and one that asks for their shape.
inline constexpr char kReshape[] = "Reshape";
inline constexpr char kSqueeze[] = "Squeeze";
inline constexpr char kMaxPool[] = "MaxPool";
inline constexpr char kShape[] = "Shape";

// The same in 8 bits. The first two have further words at the end where Relu
// follows.
inline constexpr char kByteMatMul[] = "QuantizedMatMulWithBias";
inline constexpr char kByteConv2D[] = "QuantizedConv2DWithBias";
inline constexpr char kByteMaxPool[] = "QuantizedMaxPool";
inline constexpr char kToBytes[] = "QuantizeV2";
inline constexpr char kToFloats[] = "Dequantize";

// Variables and their readers; what reads a constant in the last one's place.
inline constexpr char kVariable[] = "Variable";
inline constexpr char kVariableV2[] = "VariableV2";
inline constexpr char kHandle[] = "VarHandleOp";
inline constexpr char kRead[] = "ReadVariableOp";
inline constexpr char kResourceGather[] = "ResourceGather";
inline constexpr char kGather[] = "Gather";

}  // namespace millrace::train::op_types
