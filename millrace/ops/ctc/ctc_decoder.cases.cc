#include <cmath>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr auto kPrecondition = StatusCode::kFailedPrecondition;

void AddInputErrors(CaseList& c, const AttrMap& attrs) {
  c.Error({F32({4, 2}), Vec({4, 3})}, attrs, kInvalid,
          "inputs is not a 3-Tensor");
  c.Error({F32({0, 2, 4}), Vec({4, 3})}, attrs, kInvalid,
          "inputs must not be empty");
  c.Error({F32({4, 0, 4}), Empty(DataType::kInt32, {0})}, attrs, kInvalid,
          "inputs must not be empty");
  c.Error({F32({4, 2, 0}), Vec({4, 3})}, attrs, kInvalid,
          "inputs must not be empty");
  c.Error({F32({4, 2, 4}), Scalar(2)}, attrs, kInvalid,
          "sequence_length is not a vector");
  c.Error({F32({4, 2, 4}), Vec({4})}, attrs, kPrecondition,
          "len(sequence_length) != batch_size.  len(sequence_length):  1 "
          "batch_size: 2");
  c.Error({F32({4, 2, 4}), Vec({4, 5})}, attrs, kPrecondition,
          "sequence_length(1) <= 4");
  c.BuildError({F32({4, 2, 4}), Vec({4})}, attrs,
               "Dimensions must be equal, but are 2 and 1");
}

}  // namespace

MR_CASES(CTCGreedyDecoder)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const bool merge : {false, true}) {
      c.Ok({Rand(t, {12, 3, 4}), Vec({12, 0, 7})}, {{"merge_repeated", merge}});
      for (const int64_t blank : {0, 2, 3, -1, -4}) {
        c.Ok({Rand(t, {9, 2, 4}), Vec({9, 5})},
             {{"merge_repeated", merge}, {"blank_index", blank}});
      }
    }
    c.Ok({Mixed(t, {9, 2, 4}), Vec({9, -5})});
    c.Ok({Full(t, {4, 2, 3}, -INFINITY), Vec({4, 3})});
    c.Ok({Full(t, {4, 2, 3}, NAN), Vec({4, 3})});
    c.Ok({Rand(t, {4, 2, 1}), Vec({4, 3})});
    c.Ok({Rand(t, {30, 70, 50}), Rand(DataType::kInt32, {70}, 0, 31)})
        .Tolerance(1e-4);
  });
  c.Error({F32({4, 2, 4}), Vec({4, 3})}, {{"blank_index", 4}}, kInvalid,
          "blank_index expected to be between -4 and 3 but was 4");
  c.Error({F32({4, 2, 4}), Vec({4, 3})}, {{"blank_index", -5}}, kInvalid,
          "blank_index expected to be between -4 and 3 but was -5");
  c.Error({F32({4, 2, 4}), Vec({4, 3})}, {{"blank_index", int64_t{1} << 32}},
          kInvalid,
          "Attr blank_index has value 4294967296 out of range for an int32");
  AddInputErrors(c, {});
}
MR_CASES(CTCBeamSearchDecoder)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const bool merge : {false, true}) {
      for (const int64_t width : {3, 10, 100}) {
        c.Ok({Rand(t, {8, 3, 4}), Vec({8, 5, 2})}, {{"beam_width", width},
                                                    {"top_paths", 3},
                                                    {"merge_repeated", merge}})
            .Tolerance(1e-5);
      }
    }
    c.Ok({Rand(t, {4, 2, 4}), Vec({0, -3})},
         {{"beam_width", 3}, {"top_paths", 1}});
    c.Ok({Rand(t, {4, 2, 1}), Vec({4, 2})},
         {{"beam_width", 3}, {"top_paths", 1}})
        .Tolerance(1e-5);
    c.Ok({Rand(t, {25, 9, 40}), Rand(DataType::kInt32, {9}, 5, 26)},
         {{"beam_width", 20}, {"top_paths", 2}})
        .Tolerance(1e-4);
    // Many paths are equal: their order is that of heaps.
    c.Ok({Full(t, {4, 2, 4}, 0), Vec({4, 3})},
         {{"beam_width", 5}, {"top_paths", 3}})
        .Tolerance(1e-5);
    c.Ok({Full(t, {4, 2, 4}, -INFINITY), Vec({4, 3})},
         {{"beam_width", 5}, {"top_paths", 1}});
    c.Ok({Full(t, {4, 2, 4}, NAN), Vec({4, 3})},
         {{"beam_width", 5}, {"top_paths", 1}});
  });
  // Only one class can be.
  c.Ok({Of(DataType::kFloat, {2, 1, 3},
           {1, -INFINITY, 0.5, -INFINITY, -INFINITY, 2}),
        Vec({2})},
       {{"beam_width", 3}, {"top_paths", 2}})
      .Tolerance(1e-5);
  c.Ok({F32({4, 2, 4}), Vec({4, 3})},
       {{"beam_width", int64_t{2147483647}}, {"top_paths", 1}})
      .Tolerance(1e-5);
  c.Error({F32({4, 2, 4}), Vec({4, 3})},
          {{"beam_width", int64_t{1} << 40}, {"top_paths", 1}}, kInvalid,
          "Attr beam_width has value 1099511627776 out of range for an int32");
  c.Error({F32({4, 2, 4}), Vec({4, 3})}, {{"beam_width", 3}, {"top_paths", 4}},
          kInvalid, "requested more paths than the beam width.");
  c.Error({F32({4, 2, 4}), Vec({0, 3})}, {{"beam_width", 3}, {"top_paths", 2}},
          kInvalid, "Less leaves in the beam search than requested.");
  c.BuildError({F32({4, 2, 4}), Vec({4, 3})},
               {{"beam_width", 0}, {"top_paths", 1}},
               "must be at least minimum 1");
  AddInputErrors(c, {{"beam_width", 3}, {"top_paths", 2}});
}

}  // namespace millrace::cases
