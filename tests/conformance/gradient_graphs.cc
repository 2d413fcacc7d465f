// Rooms: client session ops.grad ops.cpu ops.gpu ops.op
// The program behind test_gradient_graphs.py.
//
//   gradient_graphs FOLDER   writes, for each model, MODEL.graph (a GraphDef
//   with
//                            the nodes of its gradients) and a line of
//                            models.txt: MODEL Y X GRADIENT [X GRADIENT]...
// A gradient of rows is written as "VALUES,INDICES".
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "millrace/base/files/file.h"
#include "millrace/client/gradients.h"
#include "millrace/client/ops.h"
#include "millrace/client/variables/variables.h"
#include "millrace/graph/graph_proto.h"

namespace millrace {
namespace {

struct Model {
  Output y;
  std::vector<Output> xs;
};

Output Values(const Scope& s, const char* name, std::vector<int64_t> shape,
              double from = -0.8) {
  int64_t count = 1;
  for (int64_t d : shape) count *= d;
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(from +
                                        0.37 * static_cast<double>(i % 7) +
                                        0.011 * static_cast<double>(i)));
  }
  const Output flat =
      ops::Const(s.WithOpName(std::string(name) + "_values"), values);
  return ops::Identity(s.WithOpName(name), ops::Reshape(s, flat, shape));
}

Output Total(const Scope& s, const Output& x) {
  return ops::Sum(s.WithOpName("total"),
                  ops::Square(s, ops::Reshape(s, x, {-1})), {0});
}

Output SumOfTotals(const Scope& s, const std::vector<Output>& parts) {
  Output y;
  for (const Output& part : parts) {
    const Output total = Total(s, part);
    y = y ? ops::AddV2(s, y, total) : total;
  }
  return y;
}

// The small network of every textbook: three dense layers and a softmax.
Model Network(const Scope& s) {
  const Output x = Values(s, "x", {5, 8});
  Output at = x;
  std::vector<Output> weights;
  const std::vector<int64_t> widths = {8, 6, 4, 3};
  for (size_t i = 0; i + 1 < widths.size(); ++i) {
    const Scope layer = s.SubScope(absl::StrCat("layer", i));
    const Output w = Values(layer, "w", {widths[i], widths[i + 1]});
    const Output b = Values(layer, "b", {widths[i + 1]});
    weights.push_back(w);
    weights.push_back(b);
    at = ops::BiasAdd(layer, ops::MatMul(layer, at, w), b);
    if (i == 0) at = ops::Relu(layer, at);
    if (i == 1) at = ops::Tanh(layer, at);
  }
  const auto loss = ops::SparseSoftmaxCrossEntropyWithLogits(
      s, at, ops::Const(s, std::vector<int>{0, 2, 1, 1, 0}));
  return {ops::Mean(s.WithOpName("loss"), loss.loss, {0}), weights};
}

Model Broadcast(const Scope& s) {
  const Output a = Values(s, "a", {3, 1, 2}, 0.4);
  const Output b = Values(s, "b", {4, 1}, 0.6);
  const Output c = Values(s, "c", {}, 0.9);
  const Output quotient =
      ops::RealDiv(s, ops::Mul(s, a, b), ops::AddV2(s, ops::Square(s, b), c));
  const Output mixed =
      ops::Maximum(s, ops::Sub(s, quotient, a), ops::Pow(s, c, b));
  return {Total(s, mixed), {a, b, c}};
}

Model Embedding(const Scope& s) {
  const Output table = Values(s, "table", {6, 3});
  const Output rows = ops::GatherV2(s, table, {{4, 0}, {4, 2}}, 0);
  const Output columns = ops::GatherV2(s, table, {2, 0}, 1);
  const Output more = ops::Gather(s, table, {5, 5});
  const Output sum = ops::AddV2(s, Total(s, rows), Total(s, more));
  return {ops::AddV2(s, sum, Total(s, columns)), {table}};
}

Model OnlyRows(const Scope& s) {
  const Output table = Values(s, "table", {6, 3});
  const Output sum =
      ops::AddV2(s, Total(s, ops::GatherV2(s, table, {{4, 0}, {4, 2}}, 0)),
                 Total(s, ops::Gather(s, table, {5, 5})));
  return {sum, {table}};
}

Model Reductions(const Scope& s) {
  const Output x = Values(s, "x", {2, 3, 4}, 0.3);
  const std::vector<Output> parts = {
      ops::Sum(s, x, {1}),  ops::Mean(s, x, {0, -1}, {.keep_dims = true}),
      ops::Max(s, x, {2}),  ops::Min(s, x, {0}),
      ops::Prod(s, x, {1}), ops::Cumsum(s, x, 1, {.exclusive = true}),
      ops::Cumprod(s, x, 2)};
  return {SumOfTotals(s, parts), {x}};
}

Model Shapes(const Scope& s) {
  const Output x = Values(s, "x", {3, 4});
  const std::vector<Output> halves = ops::Split(s, 1, x, 2);
  const std::vector<Output> rows = ops::Unpack(s, x, 3);
  const std::vector<Output> parts = {
      ops::Transpose(s, ops::ConcatV2(s, {halves[1], x}, -1), {1, 0}),
      ops::Pack(s, {rows[2], rows[0]}, {.axis = 1}),
      ops::StridedSlice(s, x, {2, 0}, {0, 4}, {-1, 3}, {.end_mask = 1}),
      ops::Slice(s, x, {1, 1}, {2, -1}),
      ops::Tile(s, x, {2, 1}),
      ops::Pad(s, x, {{1, 0}, {2, 1}}),
      ops::SelectV2(s, ops::Greater(s, x, 0), x, ops::Mul(s, x, 0.1)),
      ops::UnsortedSegmentSum(s, x, {1, -1, 1}, 2),
      ops::DynamicPartition(s, x, {1, 0, 1}, 2)[1]};
  return {SumOfTotals(s, parts), {x}};
}

Model Conditional(const Scope& s) {
  const Output x = Values(s, "x", {4});
  const Output chosen = ops::Greater(s, ops::Sum(s, x, {0}), 0);
  const auto branch = ops::Switch(s, x, chosen);
  const Output y = ops::Merge(s, {ops::Neg(s, branch.output_false),
                                  ops::Exp(s, branch.output_true)})
                       .output;
  return {Total(s, y), {x}};
}

Model SecondOrder(const Scope& s) {
  const Output x = Values(s, "x", {3}, 0.3);
  const Output y = Total(s, ops::Sigmoid(s, ops::Mul(s, x, ops::Tanh(s, x))));
  auto first = ops::Gradients(s, {y}, {x});
  return {ops::Sum(s.WithOpName("slope"), first[0].tensor, {0}), {x}};
}

Model Special(const Scope& s) {
  const Output a = Values(s, "a", {2, 1, 3}, 0.6);
  const Output x = Values(s, "x", {4, 1}, 1.1);
  const Output part = Values(s, "part", {2, 2}, 0.1);
  const Output scalar = Values(s, "scalar", {}, 0.7);
  return {SumOfTotals(s, {ops::Igamma(s, a, x), ops::Igammac(s, a, x),
                          ops::Zeta(s, ops::AddV2(s, x, 1), a),
                          ops::Polygamma(s, {1.f, 0.f, 3.f}, x),
                          ops::Betainc(s, 1.7f, 2.2f, ops::Mul(s, part, 0.5)),
                          ops::Betainc(s, part, scalar, 0.3f),
                          ops::Erfinv(s, ops::Mul(s, part, 0.5)),
                          ops::Ndtri(s, ops::Mul(s, part, 0.5)),
                          ops::Digamma(s, x), ops::NextAfter(s, a, x)}),
          {a, x, part, scalar}};
}

// What the gradient of a normalized batch moves with.
Model BatchNorm(const Scope& s, const std::string& format, bool training) {
  const bool last = format.back() == 'C';
  const Output x = Values(s, "x",
                          last ? std::vector<int64_t>{2, 3, 2, 4}
                               : std::vector<int64_t>{2, 4, 3, 2});
  const Output scale = Values(s, "scale", {4}, 0.5);
  const Output offset = Values(s, "offset", {4});
  const Output mean = Values(s, "mean", {4}, 0.1);
  const Output variance = Values(s, "variance", {4}, 0.7);
  const auto norm =
      ops::FusedBatchNormV3(s, x, scale, offset, mean, variance,
                            {.data_format = format, .is_training = training});
  const Output y = ops::Mul(s, ops::Square(s, norm.y), norm.y);
  auto first =
      ops::Gradients(s, {ops::Sum(s, y, {0, 1, 2, 3})}, {x, scale, offset});
  return {SumOfTotals(s, {first[0].tensor, first[1].tensor, first[2].tensor}),
          {x, scale}};
}
Model BatchNormTraining(const Scope& s) { return BatchNorm(s, "NHWC", true); }
Model BatchNormInference(const Scope& s) { return BatchNorm(s, "NHWC", false); }

// Greys, black, colours with zeros and below zero, and equal ones.
Model Colors(const Scope& s) {
  const Output x =
      ops::Identity(s.WithOpName("x"), ops::Const(s, {{0.f, 0.f, 0.f},
                                                      {0.5f, 0.5f, 0.5f},
                                                      {0.5f, 0.3f, 0.f},
                                                      {0.f, 0.4f, 0.2f},
                                                      {0.3f, 0.f, 0.9f},
                                                      {1.f, 0.f, 0.f},
                                                      {0.f, 0.7f, 0.f},
                                                      {0.f, 0.f, 0.2f},
                                                      {-0.1f, 0.5f, 0.2f},
                                                      {-0.3f, -0.2f, -.1f},
                                                      {0.6f, 0.6f, 0.1f},
                                                      {0.1f, 0.6f, 0.6f},
                                                      {0.6f, 0.1f, 0.6f},
                                                      {0.1f, 0.1f, 0.6f},
                                                      {0.2f, 0.8f, 0.4f}}));
  const Output hsv = ops::RGBToHSV(s, x);
  return {Total(s, ops::Mul(s, ops::AddV2(s, hsv, 0.3), {0.7f, 1.1f, 0.9f})),
          {x}};
}

Model Projection(const Scope& s) {
  const Output x = Values(s, "x", {2, 4, 5, 2});
  const Output transforms =
      ops::Const(s, {{1.1f, 0.2f, -0.6f, -0.1f, 0.9f, 0.4f, 0.01f, -0.02f},
                     {0.f, 1.f, 1.f, 1.f, 0.f, -1.f, 0.f, 0.f}});
  const Output smooth =
      ops::ImageProjectiveTransformV2(s, x, transforms, {5, 3}, "BILINEAR");
  const Output filled = ops::ImageProjectiveTransformV3(
      s, x, transforms, {4, 6}, 0.5f, "NEAREST", {.fill_mode = "REFLECT"});
  return {SumOfTotals(s, {smooth, filled}), {x}};
}

// Small values and vectors of any phase: stock's terms, and no others.
Model SingularValues(const Scope& s) {
  const Output square = Values(s, "square", {2, 3, 3});
  const Output tall = Values(s, "tall", {4, 2});
  const Output wide = Values(s, "wide", {2, 5});
  std::vector<Output> parts;
  const auto add = [&](const Output& a, bool full) {
    const auto svd = ops::Svd(s, a, {.full_matrices = full});
    for (const Output& part : {svd.s, svd.u, svd.v}) {
      parts.push_back(part.dtype() == DataType::kFloat ? part
                                                       : ops::Real(s, part));
    }
  };
  add(square, false);
  add(ops::Mul(s, square, {1.f, 1.f, 1e-3f}), false);
  add(tall, false);
  add(wide, false);
  add(ops::Slice(s, wide, {0, 1}, {2, 3}), true);
  add(ops::Complex(s, tall, ops::Mul(s, tall, tall)), false);
  add(ops::Complex(s, wide, ops::Mul(s, wide, wide)), false);
  return {SumOfTotals(s, parts), {square, tall, wide}};
}

Status Write(const std::string& folder, const std::string& name,
             const std::function<Model(const Scope&)>& build,
             std::string* list) {
  const Scope s = Scope::NewRoot();
  const Model model = build(s);
  MR_RETURN_IF_ERROR(s.status());
  const auto gradients = ops::Gradients(s, {model.y}, model.xs);
  MR_RETURN_IF_ERROR(s.status());
  absl::StrAppend(list, name, " ", model.y.name());
  for (size_t i = 0; i < model.xs.size(); ++i) {
    const Gradient& g = gradients[i];
    absl::StrAppend(list, " ", model.xs[i].name(), " ",
                    g.is_slices() ? absl::StrCat(g.slices.values.name(), ",",
                                                 g.slices.indices.name())
                                  : g.tensor.name());
  }
  absl::StrAppend(list, "\n");
  return WriteStringToFile(PosixFiles(), JoinPath(folder, name + ".graph"),
                           SerializeGraphDef(s.graph().Export()));
}

Status WriteAll(const std::string& folder) {
  const std::pair<const char*, Model (*)(const Scope&)> models[] = {
      {"network", Network},
      {"broadcast", Broadcast},
      {"embedding", Embedding},
      {"only_rows", OnlyRows},
      {"reductions", Reductions},
      {"shapes", Shapes},
      {"conditional", Conditional},
      {"second_order", SecondOrder},
      {"special", Special},
      {"batch_norm_training", BatchNormTraining},
      {"batch_norm_inference", BatchNormInference},
      {"colors", Colors},
      {"projection", Projection},
      {"singular_values", SingularValues}};
  std::string list;
  for (const auto& [name, build] : models) {
    const Status status = Write(folder, name, build, &list);
    if (!status.ok()) return Prefix(absl::StrCat(name, ": "), status);
  }
  return WriteStringToFile(PosixFiles(), JoinPath(folder, "models.txt"), list);
}

}  // namespace
}  // namespace millrace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const millrace::Status status = millrace::WriteAll(argv[1]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
