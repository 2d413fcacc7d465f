// Fits a line: graph, variables, gradients and a session in 40 lines.
#include <cstdio>
#include <string>

#include "millrace/millrace.h"

using namespace millrace;

int main(int argc, char** argv) {
  // Here, or on a cluster: hello grpc://host:port
  const std::string target = argc > 1 ? argv[1] : "";
  if (argc > 2 || target.starts_with("-")) {
    std::puts("hello [grpc://host:port]: fits a line, here or on a cluster");
    return argc == 2 && target == "--help" ? 0 : 2;
  }

  const Scope scope = Scope::NewRoot();
  const Output x = ops::Placeholder(scope.WithOpName("x"), DataType::kFloat);
  const Output y = ops::Placeholder(scope.WithOpName("y"), DataType::kFloat);
  const ops::Variable slope(scope.WithOpName("slope"), 0.0f);
  const ops::Variable offset(scope.WithOpName("offset"), 0.0f);

  const Output line = ops::AddV2(scope, ops::Mul(scope, slope, x), offset);
  const Output error = ops::Square(scope, ops::Sub(scope, line, y));
  const Output loss = ops::Mean(scope, error, {0});

  const auto gradients =
      ops::Gradients(scope, {loss}, {slope.handle(), offset.handle()});
  if (!scope.ok()) return std::puts(scope.status().ToString().c_str());
  const Output rate = ops::Const(scope, 0.1f);
  const Output train1 = ops::ApplyGradientDescent(scope, slope.handle(), rate,
                                                  gradients[0].tensor);
  const Output train2 = ops::ApplyGradientDescent(scope, offset.handle(), rate,
                                                  gradients[1].tensor);
  const Operation init = ops::GlobalVariablesInitializer(scope);

  Session session(scope, {.target = target});
  Status status = session.RunTargets({init});
  for (int step = 0; status.ok() && step < 200; ++step) {
    status = session
                 .Run({{x, {0.f, 1.f, 2.f}}, {y, {1.f, 3.f, 5.f}}}, {loss},
                      {train1.op(), train2.op()})
                 .status();
  }
  const auto fitted = session.Run({slope, offset});
  if (!fitted.ok()) return std::puts(fitted.status().ToString().c_str());
  std::printf("y = %.2f x + %.2f\n", (*fitted)[0].scalar<float>(),
              (*fitted)[1].scalar<float>());
}
