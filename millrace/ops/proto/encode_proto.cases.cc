#include "millrace/ops/proto/descriptors.cases.h"

namespace millrace::cases {
namespace {

AttrMap EncodedFields(StringList names) {
  return {{"message_type", "my.M"},
          {"descriptor_source", MessageDescriptors()},
          {"field_names", std::move(names)}};
}

}  // namespace

MR_CASES(EncodeProto)(CaseList& c) {
  using T = DataType;
  const Value sizes = Of(T::kInt32, {2, 1}, {2, 1});
  for (int type = 1; type <= 18; ++type) {
    const FieldType& t = kFieldTypes[type - 1];
    const std::string name = t.name;
    const Value values = t.tensor == T::kString
                             ? Str({2, 2}, {"a", "", "c", "d"})
                             : Rand(t.tensor, {2, 2});
    c.Ok({sizes, values}, EncodedFields({"r_" + name}));
    c.Ok({Of(T::kInt32, {2, 1}, {1, 0}), values}, EncodedFields({"o_" + name}));
    if (type >= 9 && type <= 12) continue;
    c.Ok({sizes, values}, EncodedFields({"p_" + name}));
  }
  const Value one = Of(T::kInt32, {1, 1}, {1});
  const Value pair = Of(T::kInt32, {1, 2}, {1, 1});
  const Value three = Of(T::kInt32, {1, 1}, {-3});
  c.Ok({one, three}, EncodedFields({"o_int32"}));
  c.Ok({one, three}, EncodedFields({"o_sint32"}));
  c.Ok({one, three}, EncodedFields({"o_enum"}));
  c.Ok({one, Of(T::kDouble, {1, 1}, {1.1})}, EncodedFields({"o_float"}));
  c.Ok({pair, three, Of(T::kInt32, {1, 1}, {4})},
       EncodedFields({"o_sint32", "o_int32"}));
  c.Ok({Of(T::kInt32, {1, 1}, {-1}), three}, EncodedFields({"r_int32"}));
  c.Ok({Of(T::kInt32, {1, 2, 1}, {1, 0}), I32({1, 2, 3})},
       EncodedFields({"r_int32"}));
  c.Ok({Empty(T::kInt32, {0, 1}), Empty(T::kInt32, {0, 1})},
       EncodedFields({"o_int32"}));
  c.Ok({Of(T::kInt32, {1, 1}, {0}), Empty(T::kInt32, {1, 0})},
       EncodedFields({"o_int32"}));

  const auto error = [&](std::vector<Value> inputs, StringList names,
                         const char* words) {
    c.Error(std::move(inputs), EncodedFields(std::move(names)), kInvalid, words)
        .NoShapeCheck();
  };
  error({one, three}, {"o_int64"},
        "Incompatible type for field o_int64.  Saw dtype: int32 but field type "
        "is: int64");
  error({one, Of(T::kFloat, {1, 1}, {1})}, {"o_double"},
        "Incompatible type for field o_double.  Saw dtype: float but field "
        "type is: double");
  error({one, three}, {"o_uint32"}, "Incompatible type for field o_uint32.");
  error({one, three}, {"o_string"}, "Incompatible type for field o_string.");
  error({Of(T::kInt32, {1, 1}, {2}), three}, {"r_int32"},
        "Size to write must not be larger than value tensor; but saw: 2 > 1 at "
        "message 0 field 0");
  error({pair, three}, {"o_int32"},
        "sizes should be batch_size + [len(field_names)].  Saw: [1,2] but "
        "expected: [1,1]");
  error({Vec({1}), three}, {"o_int32"},
        "sizes should be batch_size + [len(field_names)].  Saw: [1] but "
        "expected: [1,1]");
  error({one, Vec({3})}, {"o_int32"},
        "Invalid shape for field o_int32.  Saw shape [1] but it should be at "
        "least a matrix.");
  error({one, three}, {"nope"}, "Unknown field: nope in message type my.M");
  error({pair, three}, {"o_int32", "o_sint32"},
        "Length of inputs list must match field_names");
  c.BuildError({one, Vec({3})}, EncodedFields({"o_int32"}),
               "Shape must be at least rank 2 but is rank 1");
}

}  // namespace millrace::cases
