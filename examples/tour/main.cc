// The C++ API on one screen: layers, a loss, an optimizer, sessions, callables,
// errors and options.
#include <cstdio>
#include <string>
#include <vector>

#include "millrace/millrace.h"

using namespace millrace;

// Learns to tell rows from columns. What runs, or does IO, returns a Status.
Status Learn(const std::string& directory) {
  // What builds a graph never fails: the graph keeps its first error, which the
  // first run returns. Options come last, and name what is not as usual.
  const Scope scope = Scope::NewRoot();
  const VariableScope variables(scope);
  const Output x = ops::Placeholder(scope, DataType::kFloat,
                                    {.shape = PartialShape({-1, 8, 8, 1})});
  const Output y =
      ops::Placeholder(scope, DataType::kInt32, {.shape = PartialShape({-1})});
  Output h = train::Conv2D(variables, x, 4, {3, 3},
                           {.padding = train::Padding::kSame,
                            .activation = ops::Relu,
                            .kernel_initializer = HeNormal({.seed = 1})});
  h = train::Flatten(scope, train::MaxPooling2D(scope, h, {2, 2}, {2, 2}));
  const Output logits = train::Dense(
      variables, h, 2, {.kernel_initializer = GlorotUniform({.seed = 2})});
  const Output loss = train::SparseSoftmaxCrossEntropy(scope, y, logits);
  train::AdamOptimizer optimizer(0.01, {.epsilon = 1e-7f});
  const Operation train_op = optimizer.Minimize(
      scope, loss, {.global_step = train::CreateGlobalStep(scope)});

  // Initializes or restores the variables, saves them, recovers from lost
  // tasks.
  train::StopAtStepHook stop(100);
  train::MonitoredSession session(
      scope, {.checkpoint_dir = directory, .save_steps = 50, .hooks = {&stop}});
  const train::MonitoredCallable step = session.Prepare(
      {x, y}, {loss, train_op.output(0)}, {}, {.step_fetch = 1});
  MR_RETURN_IF_ERROR(session.Start());
  Tensor images = Tensor::Zeros(DataType::kFloat, TensorShape({2, 8, 8, 1}));
  for (size_t i = 0; i < 64; ++i) {
    images.mutable_flat<float>()[i] = static_cast<float>(i / 8 % 2);
    images.mutable_flat<float>()[64 + i] = static_cast<float>(i % 2);
  }
  const Tensor labels = Tensor::Vector<int32_t>({0, 1});
  float last = 0;
  while (!session.ShouldStop()) {
    MR_ASSIGN_OR_RETURN(const auto out, step.Run({images, labels}));
    last = out[0].scalar<float>();
  }
  std::printf("step %d, learned: %s\n", static_cast<int>(session.global_step()),
              last < 0.1f ? "yes" : "no");
  return session.Close();
}

// Below all of that: a session, gradients, a callable.
Status Differentiate() {
  const Scope scope = Scope::NewRoot();
  const Output x = ops::Placeholder(scope, DataType::kFloat);
  const Output y = ops::Mul(scope, x, x);
  const std::vector<Gradient> slope = ops::Gradients(scope, {y}, {x});
  Session session(scope, {.target = ""});  // here; or "grpc://host:port"
  MR_ASSIGN_OR_RETURN(const Callable run,
                      session.Prepare({x}, {y, slope[0].tensor}));
  MR_ASSIGN_OR_RETURN(const auto out, run.Run({Tensor::Scalar(3.0f)}));
  std::printf("%g, slope %g\n", out[0].scalar<float>(), out[1].scalar<float>());
  return session.Close();
}

int main(int argc, char** argv) {
  Status status = Learn(argc > 1 ? argv[1] : "");
  if (status.ok()) status = Differentiate();
  if (!status.ok()) std::puts(status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
