// The options and checks of QuantizeAndDequantize in its versions, on all
// devices. Ranges that are given lie in host memory.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/shared_text.h"
#include "millrace/ops/quantize/round_trip.shared.h"
#include "millrace/ops/quantize/slices.h"

namespace millrace::ops {

// The integers that represent the values.
struct Integers {
  bool is_signed = true, narrow = false;
  int64_t num_bits = 8;

  int64_t least() const {
    return is_signed ? -(int64_t{1} << (num_bits - 1)) + (narrow ? 1 : 0) : 0;
  }
  int64_t most() const {
    return is_signed ? (int64_t{1} << (num_bits - 1)) - 1
                     : (int64_t{1} << num_bits) - 1;
  }
  // `attr` is the name of the attribute signed_input in the message.
  Status Check(absl::string_view attr) const {
    if (num_bits > 0 && num_bits < (is_signed ? 62 : 63)) return OkStatus();
    return InvalidArgument("num_bits is out of range: ", num_bits, " with ",
                           attr, " ", is_signed ? 1 : 0);
  }
  template <class T>
  Rounding<T> RoundingIn(T min, T max) const {
    return RoundingOf<T>(min, max, static_cast<T>(least()),
                         static_cast<T>(most()), std::numeric_limits<T>::max());
  }
};

class RoundTripOptions {
 public:
  static StatusOr<RoundTripOptions> Make(const KernelInit& init) {
    RoundTripOptions k;
    MR_ASSIGN_OR_RETURN(k.integers_.is_signed, init.Attr<bool>("signed_input"));
    MR_ASSIGN_OR_RETURN(k.range_given_, init.Attr<bool>("range_given"));
    if (init.HasAttr("narrow_range")) {
      MR_ASSIGN_OR_RETURN(k.integers_.narrow, init.Attr<bool>("narrow_range"));
    }
    if (init.HasAttr("axis")) {
      MR_ASSIGN_OR_RETURN(k.axis_, init.Attr<int32_t>("axis"));
    }
    if (init.HasAttr("round_mode")) {
      MR_ASSIGN_OR_RETURN(const auto round,
                          init.Attr<std::string>("round_mode"));
      k.to_even_ = round == "HALF_TO_EVEN";
    }
    if (init.HasAttr("num_bits")) {
      MR_ASSIGN_OR_RETURN(k.integers_.num_bits, init.Attr<int32_t>("num_bits"));
      MR_RETURN_IF_ERROR(k.integers_.Check("signed_input_"));
    }
    if (init.HasAttr("input_min")) {
      MR_ASSIGN_OR_RETURN(k.min_, init.Attr<float>("input_min"));
      MR_ASSIGN_OR_RETURN(k.max_, init.Attr<float>("input_max"));
      if (k.range_given_ && !(k.min_ <= k.max_)) {
        return BadRange(k.min_, k.max_);
      }
    }
    return k;
  }

  bool range_given() const { return range_given_; }
  // Whether halves are rounded to even numbers, else upwards.
  bool to_even() const { return to_even_; }
  Slices SlicesOf(const Tensor& x) const { return Slices(x.shape(), axis_); }

  // Checks the axis, and the number of bits if that is an input.
  StatusOr<Integers> ReadIntegers(const KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    if (axis_ < -1 || axis_ >= x.rank()) {
      return InvalidArgument("Shape must be at least rank ", axis_ + 1,
                             " but is rank ", x.rank());
    }
    Integers integers = integers_;
    if (ctx.num_inputs() > 3) {
      if (ctx.input(3).num_elements() != 1) {
        return InvalidArgument(
            "Invalid shape. The `num_bits` tensor should be a "
            "scalar. Got dimensions: ",
            ctx.input(3).rank());
      }
      integers.num_bits = ctx.input(3).scalar<int32_t>();
      MR_RETURN_IF_ERROR(integers.Check("`signed_input_`"));
    }
    return integers;
  }

  // Requires: range_given(). Sets the ranges of all slices.
  template <class T>
  Status GivenRanges(const KernelContext& ctx, const Slices& s,
                     CountedVector<T>* min, CountedVector<T>* max) const {
    if (ctx.num_inputs() == 1) {
      min->assign(1, static_cast<T>(min_));
      max->assign(1, static_cast<T>(max_));
      return OkStatus();
    }
    const Tensor &x = ctx.input(0), &mins = ctx.input(1), &maxs = ctx.input(2);
    if (axis_ == -1) {
      MR_RETURN_IF_ERROR(CheckScalarRange(mins, "input_min"));
      MR_RETURN_IF_ERROR(CheckScalarRange(maxs, "input_max"));
      const T low = mins.scalar<T>(), high = maxs.scalar<T>();
      if (!(low <= high)) return BadRange(low, high);
    } else {
      MR_RETURN_IF_ERROR(CheckVectorRange(mins, "input_min", x, s.count()));
      MR_RETURN_IF_ERROR(CheckVectorRange(maxs, "input_max", x, s.count()));
    }
    min->assign(mins.flat<T>().begin(), mins.flat<T>().end());
    max->assign(maxs.flat<T>().begin(), maxs.flat<T>().end());
    return OkStatus();
  }

 private:
  template <class T>
  static Status BadRange(T min, T max) {
    return InvalidArgument("Invalid range: input_min ", min, " > input_max ",
                           max);
  }
  static Status CheckScalarRange(const Tensor& t, const char* name) {
    if (t.rank() == 0) return OkStatus();
    return InvalidArgument(name,
                           " must be a scalar. Without an axis there is one "
                           "range, but it has shape ",
                           t.shape().DebugString());
  }
  Status CheckVectorRange(const Tensor& t, const char* name, const Tensor& x,
                          int64_t count) const {
    if (t.rank() != 1) {
      return InvalidArgument("Shape must be rank 1 for ", name,
                             "_tensor when the axis is specified, but is rank ",
                             t.rank());
    }
    if (t.dim(0) != count) {
      return InvalidArgument(name, "_tensor has incorrect size, was ", t.dim(0),
                             " expected ", count, " to match dim ", axis_,
                             " of the input ", x.shape().DebugString());
    }
    return OkStatus();
  }

  Integers integers_;
  bool range_given_ = false, to_even_ = true;
  int64_t axis_ = -1;
  float min_ = 0, max_ = 0;
};

// The options of QuantizeAndDequantizeV4Grad, whose inputs are the gradient,
// the values, and the ends of ranges.
struct RoundTripGradOptions {
  int64_t axis = -1;

  static StatusOr<RoundTripGradOptions> Make(const KernelInit& init) {
    RoundTripGradOptions k;
    MR_ASSIGN_OR_RETURN(k.axis, init.Attr<int32_t>("axis"));
    return k;
  }

  StatusOr<Slices> Check(const KernelContext& ctx) const {
    const Tensor &dy = ctx.input(0), &x = ctx.input(1);
    if (dy.shape() != x.shape()) {
      return InvalidArgument("gradient and input must be the same size");
    }
    if (axis < -1 || axis >= x.rank()) {
      return InvalidArgument("Axis should be -1 or less than ", x.rank(),
                             ", but given axis value was ", axis);
    }
    const Slices slices(x.shape(), axis);
    MR_RETURN_IF_ERROR(CheckRange(ctx.input(2), "min", slices.count()));
    MR_RETURN_IF_ERROR(CheckRange(ctx.input(3), "max", slices.count()));
    return slices;
  }

 private:
  Status CheckRange(const Tensor& t, const char* name, int64_t count) const {
    if (t.rank() != (axis == -1 ? 0 : 1)) {
      return InvalidArgument("input_", name,
                             " must be a scalar if axis is "
                             "unspecified, else a vector, but has rank ",
                             t.rank());
    }
    if (axis == -1) return OkStatus();
    if (t.dim(0) != count) {
      return InvalidArgument(name, " has incorrect size, expected ", count,
                             " was ", t.dim(0));
    }
    return OkStatus();
  }
};

}  // namespace millrace::ops
