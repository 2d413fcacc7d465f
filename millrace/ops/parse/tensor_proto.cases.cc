#include "millrace/tensor/wire.h"
#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

Value Serialized(const Value& value) {
  return StrScalar(EncodeTensor(value.tensor, StringForm::kValues)->Flatten());
}

}  // namespace

MR_CASES(ParseTensor)(CaseList& c) {
  c.EachType("out_type", [](CaseList& c, DataType t) {
    const AttrMap type = {{"out_type", t}};
    c.Ok({Serialized(Rand(t, {2, 3}))}, type).Exact();
    c.Ok({Serialized(Rand(t, {}))}, type).Exact();
    c.Ok({Serialized(Empty(t, {0, 2}))}, type);
    const DataType other =
        t == DataType::kInt32 ? DataType::kFloat : DataType::kInt32;
    c.Error({Serialized(Rand(other, {2}))}, type, kInvalid,
            "Type mismatch between parsed tensor (" + DataTypeName(other) +
                ") and dtype (" + DataTypeName(t) + ")");
  });
  const AttrMap type = {{"out_type", DataType::kFloat}};
  // One value for a whole shape.
  c.Ok({StrScalar(std::string("\x08\x01\x12\x04\x12\x02\x08\x03\x2a\x04\0\0\x80"
                              "?",
                              14))},
       type);
  c.Error({StrScalar("bogus")}, type, kInvalid,
          "Could not parse `serialized` as TensorProto");
  c.Error({Str({"", ""})}, type, kInvalid,
          "Expected `serialized` to be a scalar, got shape: [2]");
}

MR_CASES(SerializeTensor)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3})});
    c.Ok({Rand(t, {})});
    c.Ok({Empty(t, {0, 2})});
    c.Ok({Full(t, {3}, 1)});
  });
  c.Ok({Str({2, 2}, {"", "a", std::string("\0", 1), "long enough to matter"})});
}

}  // namespace millrace::cases
