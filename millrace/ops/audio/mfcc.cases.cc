#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Mfcc)(CaseList& c) {
  constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;
  const auto squares = [](TensorShape shape) {
    return Rand(kFloat, std::move(shape), 0.01, 3);
  };
  const Value rate = Scalar(16000);
  const AttrMap small = {{"filterbank_channel_count", 3},
                         {"dct_coefficient_count", 3}};
  c.Ok({squares({1, 2, 17}), rate}).Tolerance(1e-4);
  c.Ok({squares({2, 30, 257}), rate}).Tolerance(1e-4);
  c.Ok({squares({1, 2, 129}), Scalar(8000)},
       {{"filterbank_channel_count", 20},
        {"dct_coefficient_count", 20},
        {"lower_frequency_limit", 0.0f},
        {"upper_frequency_limit", 3800.0f}})
      .Tolerance(1e-4);
  c.Ok({squares({1, 2, 2}), rate}, small).Tolerance(1e-4);
  c.Ok({Full(kFloat, {1, 1, 17}, 0), rate}, small).Tolerance(1e-4);
  c.Ok({squares({1, 2, 17}), rate},
       {{"filterbank_channel_count", 1}, {"dct_coefficient_count", 1}})
      .Tolerance(1e-4);
  // Limits above the spectrum.
  for (const float upper : {20000.0f, 1e9f, NAN}) {
    c.Ok({squares({1, 2, 17}), rate}, {{"upper_frequency_limit", upper}});
  }
  c.Ok({squares({1, 2, 17}), Scalar(3)}, small);
  c.Ok({Empty(kFloat, {1, 0, 17}), rate});
  for (const int bad : {0, -5}) {
    c.Error({squares({1, 2, 17}), Scalar(bad)}, kInvalid,
            "Mfcc initialization failed for channel count 17, sample rate ");
  }
  for (const float upper : {20.0f, 0.0f}) {
    c.Error({squares({1, 2, 17}), rate}, {{"upper_frequency_limit", upper}},
            kInvalid,
            "Mfcc initialization failed for channel count 17, sample rate "
            "16000 and filterbank_channel_count 40");
  }
  c.Error({squares({1, 2, 17}), rate}, {{"lower_frequency_limit", -1.0f}},
          kInvalid, "Mfcc initialization failed for channel count 17");
  for (const int channels : {0, -1}) {
    c.Error({squares({1, 2, 17}), rate},
            {{"filterbank_channel_count", channels}}, kInvalid,
            "Mfcc initialization failed for channel count 17, sample rate "
            "16000 and filterbank_channel_count ");
  }
  for (const int coefficients : {0, 41}) {
    c.Error({squares({1, 2, 17}), rate},
            {{"dct_coefficient_count", coefficients}}, kInvalid,
            "Mfcc initialization failed for channel count 17");
  }
  for (const int length : {0, 1}) {
    c.Error({Full(kFloat, {1, 2, length}, 1), rate}, kInvalid,
            "Mfcc initialization failed for channel count ");
  }
  c.Error({squares({2, 17}), rate}, kInvalid,
          "spectrogram must be 3-dimensional[2,17]")
      .NoShapeCheck();
  c.Error({squares({1, 2, 17}), Vec({16000})}, kInvalid,
          "Input sample_rate should be a scalar tensor, got [1] instead.")
      .NoShapeCheck();
  c.Error({squares({1, 2, 17}), rate},
          {{"filterbank_channel_count", int64_t{1} << 40}}, kInvalid,
          "Attr filterbank_channel_count has value 1099511627776 out of range");
  c.BuildError({squares({2, 17}), rate}, {},
               "Shape must be rank 3 but is rank 2");
  c.BuildError({squares({1, 2, 17}), Vec({16000})}, {},
               "Shape must be rank 0 but is rank 1");
}

}  // namespace millrace::cases
