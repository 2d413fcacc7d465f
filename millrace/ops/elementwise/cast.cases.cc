#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr DataType kAll[] = {
    DataType::kFloat,     DataType::kDouble,     DataType::kInt32,
    DataType::kUint8,     DataType::kInt16,      DataType::kInt8,
    DataType::kComplex64, DataType::kInt64,      DataType::kBool,
    DataType::kQint8,     DataType::kQuint8,     DataType::kQint32,
    DataType::kBfloat16,  DataType::kQint16,     DataType::kQuint16,
    DataType::kUint16,    DataType::kComplex128, DataType::kHalf,
    DataType::kUint32,    DataType::kUint64};

AttrMap To(DataType t, bool truncate = false) {
  return AttrMap({{"DstT", t}, {"Truncate", truncate}});
}

}  // namespace

MR_CASES(Cast)(CaseList& c) {
  for (DataType from : kAll) {
    for (DataType to : kAll) {
      c.Ok({Rand(from, {3, 11}, 0, 100)}, To(to));
      const bool is_signed = to == DataType::kFloat || to == DataType::kInt32 ||
                             to == DataType::kInt8 || to == DataType::kInt64 ||
                             to == DataType::kHalf;
      if (is_signed) c.Ok({Rand(from, {2000}, -100, 100)}, To(to));
    }
  }
  for (DataType from :
       {DataType::kFloat, DataType::kDouble, DataType::kComplex64,
        DataType::kComplex128, DataType::kHalf, DataType::kBfloat16,
        DataType::kInt32}) {
    for (DataType to : {DataType::kFloat, DataType::kComplex64, DataType::kHalf,
                        DataType::kBfloat16, DataType::kInt32}) {
      if (from == DataType::kDouble && to == DataType::kComplex64) continue;
      c.Ok({Rand(from, {2, 30}, -3000, 3000)}, To(to, true)).Exact();
    }
  }
  for (DataType to : {DataType::kHalf, DataType::kBfloat16, DataType::kDouble,
                      DataType::kBool, DataType::kInt32, DataType::kInt64}) {
    c.Ok({Mixed(DataType::kFloat, {40})}, To(to));
    c.Ok({Mixed(DataType::kDouble, {40})}, To(to));
  }
  for (DataType from :
       {DataType::kInt64, DataType::kUint64, DataType::kInt32}) {
    for (DataType to : {DataType::kFloat, DataType::kInt8, DataType::kUint16,
                        DataType::kInt32, DataType::kDouble}) {
      c.Ok({Mixed(from, {40})}, To(to));
    }
  }
  c.Ok({F32({})}, To(DataType::kDouble));
  c.Ok({Empty(DataType::kFloat, {0, 2})}, To(DataType::kInt32));
  c.Ok({F64({2, 3})}, To(DataType::kFloat)).Gradient();
  c.Ok({Str({"a", "b"})}, To(DataType::kString));
  c.Error({F32({2})}, To(DataType::kString), StatusCode::kUnimplemented,
          "Cast float to string is not supported");
  c.Error({Str({"1"})}, To(DataType::kFloat), StatusCode::kUnimplemented,
          "Cast string to float is not supported");
}

}  // namespace millrace::cases
