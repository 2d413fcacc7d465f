#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void NotFound(CaseList& c) {
  const auto f = DataType::kFloat, s = DataType::kString;
  const auto call = [&](std::vector<Value> inputs, TypeList given,
                        TypeList returned) {
    c.Error(std::move(inputs),
            {{"token", std::string("pyfunc_12345")},
             {"Tin", std::move(given)},
             {"Tout", std::move(returned)}},
            StatusCode::kInvalidArgument,
            "ValueError: Could not find callback with key=pyfunc_12345 in the "
            "registry");
  };
  call({F32({2}), Str({"a"})}, {f, s}, {s});
  call({}, {}, {f, f});
}

}  // namespace

MR_CASES(PyFunc)(CaseList& c) { NotFound(c); }
MR_CASES(PyFuncStateless)(CaseList& c) { NotFound(c); }
MR_CASES(EagerPyFunc)(CaseList& c) { NotFound(c); }

}  // namespace millrace::cases
