#include "millrace/ops/nn/batch_norm_second_order.grad.h"

namespace millrace::ops {
namespace {

// The axes that are summed over, and the shape in which a vector of channels
// broadcasts to the batch.
struct ChannelAxes {
  Output sums, vectors;
};
ChannelAxes AxesOf(GradContext& g) {
  const std::string format = g.Attr<std::string>("data_format");
  const int rank = static_cast<int>(format.size());
  const int channel = static_cast<int>(format.find('C'));
  std::vector<int32_t> sums;
  std::vector<int32_t> vectors(static_cast<size_t>(rank), 1);
  for (int i = 0; i < rank; ++i) {
    if (i != channel) sums.push_back(i);
  }
  vectors[static_cast<size_t>(channel)] = -1;
  return {Const(g, sums), Const(g, vectors)};
}

// The gradient of one op, with the names of its inputs and of the gradients of
// its outputs. All of it is float: other types are too coarse for sums.
struct SecondOrder {
  explicit SecondOrder(GradContext& context)
      : g(context),
        axes(AxesOf(context)),
        epsilon(context.Attr<float>("epsilon")),
        dy(Float(g.in(0))),
        x(Float(g.in(1))),
        scale(Vector(g.in(2))),
        back_x(Float(g.dy(0))),
        back_scale(Vector(g.dy(1))),
        back_offset(Vector(g.dy(2))) {}

  Output Float(const Output& t) {
    return t.dtype() == DataType::kFloat ? t : Cast(g, t, DataType::kFloat);
  }
  Output Vector(const Output& t) { return Reshape(g, Float(t), axes.vectors); }
  Output SumOf(const Output& t) {
    return Sum(g, t, axes.sums, {.keep_dims = true});
  }
  Output MeanOf(const Output& t) {
    return Mean(g, t, axes.sums, {.keep_dims = true});
  }
  Output Product(const Output& a, const Output& b, const Output& c) {
    return Mul(g, Mul(g, a, b), c);
  }
  Output InverseRoot(const Output& variance) {
    return Rsqrt(g, AddV2(g, variance, epsilon));
  }

  void Set(const Output& d_dy, const Output& d_x, const Output& d_scale) {
    const DataType type = g.in(0).dtype();
    const auto narrow = [&](const Output& t) {
      return type == DataType::kFloat ? t : Output(Cast(g, t, type));
    };
    g.Set(0, narrow(d_dy));
    g.Set(1, narrow(d_x));
    g.Set(2, Reshape(g, d_scale, {-1}));
  }

  void SetTraining();
  void SetInference();

  GradContext& g;
  const ChannelAxes axes;
  const float epsilon;
  const Output dy, x, scale;
  const Output back_x, back_scale, back_offset;
};

// With the deviations c = x - mean(x), r = 1 / sqrt(mean(c^2) + epsilon) and u
// = dy - mean(dy) - r^2 c mean(dy c), the outputs are scale r u, r sum(dy c)
// and sum(dy). Mean and variance are computed from x and differentiated with
// it, unlike the op's own inputs of these names.
void SecondOrder::SetTraining() {
  const Output c = Sub(g, x, MeanOf(x));
  const Output r = InverseRoot(MeanOf(Square(g, c)));
  const Output dy_centered = Sub(g, dy, MeanOf(dy));
  const Output back_centered = Sub(g, back_x, MeanOf(back_x));
  const Output dy_along = MeanOf(Mul(g, dy, c));
  const Output back_along = MeanOf(Mul(g, back_x, c));
  const Output r2c = Mul(g, Square(g, r), c);

  // The first output is linear in dy and its own adjoint.
  const Output u_of_back = Sub(g, back_centered, Mul(g, r2c, back_along));
  const Output d_dy = AddV2(
      g, AddV2(g, Product(scale, r, u_of_back), Product(back_scale, r, c)),
      back_offset);
  const Output u = Sub(g, dy_centered, Mul(g, r2c, dy_along));
  const Output d_scale = Mul(g, r, SumOf(Mul(g, back_x, u)));

  // Differentiates by r, whose slope is -r^3 c / n, then by c, whose slope
  // subtracts means.
  const Output scaled = Mul(g, scale, MeanOf(Mul(g, back_x, dy_centered)));
  const Output curved =
      Mul(g, Mul(g, Product(scale, Square(g, r), back_along), dy_along), 3);
  const Output by_r =
      AddV2(g, Sub(g, scaled, curved), Mul(g, back_scale, dy_along));
  const Output r3 = Mul(g, Square(g, r), r);
  const Output by_c = Mul(g, Mul(g, scale, r3),
                          AddV2(g, Mul(g, back_centered, dy_along),
                                Mul(g, dy_centered, back_along)));
  const Output d_x = Sub(g, Product(back_scale, r, dy_centered),
                         AddV2(g, by_c, Product(by_r, r3, c)));
  Set(d_dy, d_x, d_scale);
}

// With given statistics the outputs are scale r dy, r sum(dy (x - mean)) and
// sum(dy).
void SecondOrder::SetInference() {
  const Output c = Sub(g, x, Vector(g.in(3)));
  const Output r = InverseRoot(Vector(g.in(4)));
  const Output d_dy =
      AddV2(g, AddV2(g, Product(scale, r, back_x), Product(back_scale, r, c)),
            back_offset);
  Set(d_dy, Product(back_scale, r, dy), Mul(g, r, SumOf(Mul(g, back_x, dy))));
}

}  // namespace

void SetSecondOrderOfBatchNorm(GradContext& g) {
  SecondOrder second(g);
  if (g.Attr<bool>("is_training")) {
    second.SetTraining();
  } else {
    second.SetInference();
  }
}

}  // namespace millrace::ops
