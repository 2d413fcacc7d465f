#include "millrace/ops/parse/messages.cases.h"

namespace millrace::cases {
MR_CASES(DecodeJSONExample)(CaseList& c) {
  // Serialized messages have several forms, so their contents are compared.
  const std::string json[] = {
      R"({"features":{"feature":{"s":{"int64List":{"value":["1",-2,"3"]}},)"
      R"("f":{"floatList":{"value":[0.5,"NaN",1e2,-3]}},)"
      R"("b":{"bytesList":{"value":["YWI=","","-_8="]}}}}})",
      "{}",
      R"( { "features" : { "feature" : { "s" : { "int64_list" : {} },
            "b" : null2 } } } )",
      R"({"features":{"feature":{"\u00e9\n\ud83d\ude00":{"floatList":)"
      R"({"value":[]}},"i":{}}}})",
      R"({"features":null})",
  };
  for (int i : {0, 1, 3, 4}) {
    c.Sequence("json " + std::to_string(i))
        .Node("json", "DecodeJSONExample", {Str({json[i], json[0]})})
        .Node(
            "parse", "ParseExampleV2",
            {"json", NoStrings(), Str({"s", "b", "\xc3\xa9\n\xf0\x9f\x98\x80"}),
             Str({"f"}), NoStrings(), Scalar(kFloat, 0)},
            {{"num_sparse", 3},
             {"sparse_types", TypeList{kInt64, kString, kFloat}},
             {"dense_shapes", ShapeList{PartialShape({kUnknownDim})}},
             {"ragged_value_types", TypeList{}},
             {"ragged_split_types", TypeList{}}})
        .Run({"parse"});
  }
  c.Ok({Empty(kString, {0, 2})});
  for (const std::string& bad : std::initializer_list<std::string>{
           "", "{", "[]", json[2], R"({"feature":{}})",
           R"({"features":{"feature":{"a":{"int64List":{"value":["x"]}}}}})",
           R"({"features":{"feature":{"a":{"floatList":{"value":["x"]}}}}})",
           R"({"features":{"feature":{"a":{"doubleList":{"value":[1]}}}}})",
           R"({"features":{"feature":{"a":{"int64List":{"value":[1.5]}}}}})"}) {
    c.Error({StrScalar(bad)}, kInvalid, "Error while parsing JSON: ");
  }
}

}  // namespace millrace::cases
