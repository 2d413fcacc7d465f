#include "millrace/ops/quantize/quantized_values.cases.h"

namespace millrace::cases {
namespace {

Value Bytes(DataType t, TensorShape shape) {
  return t == DataType::kQint8 ? Rand(t, std::move(shape), -128, 128)
                               : Rand(t, std::move(shape), 0, 256);
}

AttrMap PoolAttrs(int64_t size, int64_t stride, const char* padding) {
  return {{"ksize", IntList{1, size, size, 1}},
          {"strides", IntList{1, stride, stride, 1}},
          {"padding", padding}};
}

void Pool(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const char* padding : {"SAME", "VALID"}) {
      for (const int64_t size : {1, 2, 3}) {
        for (const int64_t stride : {1, 2, 3}) {
          c.Ok({Bytes(t, {2, 7, 8, 5}), F(-1), F(2)},
               PoolAttrs(size, stride, padding));
        }
      }
      c.Ok({Bytes(t, {1, 9, 5, 70}), F(-1), F(2)},
           {{"ksize", IntList{1, 3, 2, 1}},
            {"strides", IntList{1, 2, 1, 1}},
            {"padding", padding}});
    }
    c.Ok({Bytes(t, {1, 2, 2, 1}), F(-1), F(2)}, PoolAttrs(5, 1, "SAME"));
    c.Ok({Empty(t, {0, 4, 4, 1}), F(-1), F(2)}, PoolAttrs(2, 2, "SAME"));
  });
  const DataType u = DataType::kQuint8;
  c.Error({Bytes(u, {4, 4, 1}), F(-1), F(2)}, PoolAttrs(2, 2, "SAME"), kBad,
          "tensor_in_shape must have 2 spatial dimensions. 3 0");
  c.Error({Bytes(u, {1, 4, 4, 1}), F(-1), F(2)},
          {{"ksize", IntList{2, 2, 2, 1}},
           {"strides", IntList{1, 2, 2, 1}},
           {"padding", "SAME"}},
          StatusCode::kUnimplemented,
          "Pooling is not yet supported on the batch dimension.");
  c.BuildError({Bytes(u, {1, 4, 4, 1}), F(-1), F(2)},
               {{"ksize", IntList{1, 2, 2}},
                {"strides", IntList{1, 2, 2, 1}},
                {"padding", "SAME"}},
               "4 values, but got: 3");
  c.Error({Bytes(u, {1, 4, 4, 1}), F32({1}), F(2)}, PoolAttrs(2, 2, "SAME"),
          kBad, "must be rank 0 but is rank 1");
  c.BuildError({Bytes(u, {1, 4, 4, 1}), F32({1}), F(2)},
               PoolAttrs(2, 2, "SAME"), "Shape must be rank 0");
}

}  // namespace

MR_CASES(QuantizedMaxPool)(CaseList& c) {
  Pool(c);
  c.Ok({Bytes(DataType::kQuint8, {2, 3, 3, 6}), F(-1), F(2)},
       {{"ksize", IntList{1, 1, 1, 3}},
        {"strides", IntList{1, 1, 1, 3}},
        {"padding", "SAME"}});
}
MR_CASES(QuantizedAvgPool)(CaseList& c) {
  Pool(c);
  c.Error({Bytes(DataType::kQuint8, {2, 3, 3, 6}), F(-1), F(2)},
          {{"ksize", IntList{1, 1, 1, 3}},
           {"strides", IntList{1, 1, 1, 3}},
           {"padding", "SAME"}},
          StatusCode::kUnimplemented,
          "Non-spatial pooling is not yet supported. Volunteers? :)")
      .NoShapeCheck();
}

}  // namespace millrace::cases
