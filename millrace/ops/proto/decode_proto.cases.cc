#include "millrace/ops/proto/descriptors.cases.h"

namespace millrace::cases {
namespace {

AttrMap Fields(StringList names, TypeList types, AttrMap more = {}) {
  AttrMap attrs = {{"message_type", "my.M"},
                   {"descriptor_source", MessageDescriptors()},
                   {"field_names", std::move(names)},
                   {"output_types", std::move(types)}};
  for (const auto& [name, value] : more) attrs.Set(name, value);
  return attrs;
}

// Returns one value of a field of each type.
std::string OneOf(int number, int type) {
  const auto n = static_cast<uint64_t>(number);
  switch (type) {
    case 1:
      return WireFixed64(n, 0x4008000000000000);  // 3.0
    case 2:
      return WireFixed32(n, 0x40400000);
    case 6:
    case 16:
      return WireFixed64(n, 0xfffffffffffffffd);
    case 7:
    case 15:
      return WireFixed32(n, 0xfffffffd);
    case 9:
    case 12:
      return WireBytes(n, "text");
    case 10:
      return WireVarint(n << 3 | 3) + WireInt(1, 7) + WireVarint(n << 3 | 4);
    case 11:
      return WireBytes(n, WireInt(5, 9));
    default:
      return WireInt(n, 0xfffffffffffffffd);
  }
}

}  // namespace

MR_CASES(DecodeProtoV2)(CaseList& c) {
  for (int type = 1; type <= 18; ++type) {
    const FieldType& t = kFieldTypes[type - 1];
    const std::string name = t.name;
    const std::string one = OneOf(type, type), more = OneOf(100 + type, type);
    const Value messages = Str({one + more + more, "", more, one + one});
    c.Ok({messages}, Fields({"o_" + name, "r_" + name}, {t.tensor, t.tensor}));
    if (type >= 9 && type <= 12) continue;
    // Packed, and not packed though it could be.
    const std::string element = OneOf(1, type).substr(1);
    c.Ok({Str({WireBytes(static_cast<uint64_t>(200 + type),
                         element + element + element),
               OneOf(200 + type, type)})},
         Fields({"p_" + name}, {t.tensor}));
  }
  using T = DataType;
  const std::string three = WireInt(5, 3);
  c.Ok({Str({2, 1}, {three, ""})}, Fields({"o_int32", "d_int32", "d_string"},
                                          {T::kInt64, T::kInt64, T::kString}));
  c.Ok({StrScalar(three)}, Fields({"o_int32"}, {T::kInt32}));
  c.Ok({Str({three})}, Fields({}, {}));
  c.Ok({Str({OneOf(2, 2)})}, Fields({"o_float"}, {T::kDouble}));
  c.Ok({Str({three})}, Fields({"o_int32", "o_int32"}, {T::kInt32, T::kInt64}));
  // Unknown fields, and one that is written otherwise.
  c.Ok({Str({WireBytes(999, "hi") + three, WireFixed64(5, 1)})},
       Fields({"o_int32"}, {T::kInt32}));
  c.Ok({Str({"o_int32: 5 r_int32: [1, 2] o_string: 'x' o_message { o_int32: 3 "
             "}"})},
       Fields({"o_int32", "r_int32", "o_string", "o_message"},
              {T::kInt32, T::kInt32, T::kString, T::kString},
              {{"message_format", "text"}}));
  c.Ok({Str({three, three + three})},
       Fields({"o_int32"}, {T::kInt32}, {{"sanitize", true}}));
  c.Ok({Str({WireBytes(1, WireBytes(1, "tag")), ""})},
       {{"message_type", "tensorflow.Summary"},
        {"field_names", StringList{"value"}},
        {"output_types", TypeList{T::kString}}});

  const auto error = [&](Value bytes, AttrMap attrs, const char* words,
                         StatusCode code = kInvalid) -> Case& {
    return c.Error({std::move(bytes)}, std::move(attrs), code, words);
  };
  const Value fine = Str({three});
  const std::vector<std::pair<const char*, DataType>> pairs = {
      {"uint64", T::kInt64},  {"uint32", T::kInt64}, {"float", T::kHalf},
      {"int32", T::kBool},    {"double", T::kFloat}, {"bool", T::kInt32},
      {"string", T::kInt32},  {"int64", T::kInt32},  {"enum", T::kInt64},
      {"message", T::kInt32}, {"sint64", T::kInt32}, {"fixed32", T::kInt64}};
  for (const auto& [name, type] : pairs) {
    error(fine, Fields({std::string("o_") + name}, {type}),
          "Unexpected output type for my.M.o_");
  }
  error(Empty(T::kString, {0}), Fields({"o_int32"}, {T::kInt32}),
        "Bufs argument must contain at least one value");
  error(fine, Fields({"nope"}, {T::kInt32}),
        "Unknown field: nope in message type my.M");
  error(fine, Fields({"o_int32"}, {}),
        "field_names and output_types attributes must have the same length");
  error(Str({"\xff\xff"}), Fields({"o_int32"}, {T::kInt32}),
        "CountFields: Failed to consume entire buffer", StatusCode::kDataLoss);
  error(Str({"\x08"}), Fields({"o_int32"}, {T::kInt32}),
        "Failed skipping unrequested field", StatusCode::kDataLoss);
  error(Str({"\x28"}), Fields({"o_int32"}, {T::kInt32}),
        "ReadValue: Failed skipping field when counting",
        StatusCode::kDataLoss);
  error(Str({WireBytes(205, "\x07\x88")}), Fields({"p_int32"}, {T::kInt32}),
        "Corrupt packed varint", StatusCode::kDataLoss);
  error(Str({"nonsense {"}),
        Fields({"o_int32"}, {T::kInt32}, {{"message_format", "text"}}),
        "Unable to parse text protobuf", StatusCode::kDataLoss);
  error(Str({"\xff"}), Fields({"o_int32"}, {T::kInt32}, {{"sanitize", true}}),
        "Unable to parse binary protobuf", StatusCode::kDataLoss);
  error(fine, Fields({"o_int32"}, {T::kInt32}, {{"message_format", "json"}}),
        "format must be one of binary or text");
  error(fine, Fields({"o_int32"}, {T::kInt32}, {{"message_type", "my.None"}}),
        "No descriptor found for message type my.None");
  error(fine,
        Fields({"o_int32"}, {T::kInt32}, {{"descriptor_source", "local://"}}),
        "No descriptor found for message type my.M");
  error(fine,
        Fields({"o_int32"}, {T::kInt32},
               {{"descriptor_source", "/tmp/millrace_cases/none.desc"}}),
        "Source does not represent serialized file descriptor set proto.");
}

}  // namespace millrace::cases
