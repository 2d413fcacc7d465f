#include "millrace/ops/elementwise/elementwise.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "millrace/ops/elementwise/broadcast.h"
#include "millrace/ops/elementwise/float_blocks.h"

namespace millrace::ops {
namespace {

// Threads get whole blocks of this many elements, so that the cost of a unit is
// a whole number of nanoseconds.
constexpr int64_t kShardUnit = 1024;

// Innermost dimensions shorter than this are copied block by block: one call
// for each would cost more than the copy.
constexpr int64_t kShortRun = 24;
constexpr int64_t kGatherBlock = 512;

// Returns the dtype whose loop is used.
template <class Loops>
DataType LoopType(const Loops& loops, DataType t) {
  const bool has_own =
      loops[static_cast<int>(t)] != typename Loops::value_type();
  return ComputesInFloat(t) && !has_own ? DataType::kFloat : t;
}

class UnaryKernel {
 public:
  UnaryKernel(UnaryRunner runner, int cost_picos, DataType input,
              DataType output)
      : runner_(runner),
        cost_picos_(cost_picos),
        input_(input),
        output_(output) {}

  Status Run(KernelContext& ctx) const {
    const TensorShape shape = ctx.input(0).shape();
    const int64_t total = shape.num_elements();
    Tensor* z;
    if (SizeOf(input_) == SizeOf(output_)) {
      MR_ASSIGN_OR_RETURN(z, ctx.ForwardOrAllocateOutput({0}, 0, shape));
    } else {
      MR_ASSIGN_OR_RETURN(z, ctx.AllocateOutput(0, shape));
    }
    const char* x = ctx.input(0).data();
    char* out = z->mutable_data();
    return ShardElements(
        ctx, total, cost_picos_, [&](int64_t begin, int64_t end) {
          runner_.Run(x + begin * SizeOf(input_), out + begin * SizeOf(output_),
                      end - begin);
        });
  }

 private:
  UnaryRunner runner_;
  int cost_picos_;
  DataType input_;
  DataType output_;
};

class BinaryKernel {
 public:
  BinaryKernel(BinaryRunner runner, const BinaryTable& table, DataType input,
               DataType output)
      : runner_(runner),
        cost_picos_(table.cost_picos),
        no_result_(table.no_result),
        input_bytes_(SizeOf(input)),
        output_bytes_(SizeOf(output)),
        plain_(IsPlain(input)),
        forwards_(plain_ && input_bytes_ == output_bytes_) {}

  void set_same_size() { same_size_ = true; }
  void set_same_shape() { same_shape_ = true; }
  // Sets the result for shapes that do not broadcast, instead of an error.
  void set_if_incompatible(bool value) {
    answers_incompatible_ = true;
    if_incompatible_ = value;
  }

  Status Run(KernelContext& ctx) const {
    const TensorShape& xs = ctx.input(0).shape();
    const TensorShape& ys = ctx.input(1).shape();
    if (xs == ys) return RunOneForm(ctx, Form::kVectorVector, xs);
    if (same_shape_) return DifferentShapes(ctx, 1);
    if (same_size_) {
      if (xs.num_elements() != ys.num_elements()) {
        return InvalidArgument(
            "The two arguments to a cwise op must have same number of "
            "elements, got ",
            xs.num_elements(), " and ", ys.num_elements());
      }
      return RunOneForm(ctx, Form::kVectorVector, xs);
    }
    if (ys.num_elements() == 1 && ys.rank() <= xs.rank()) {
      return RunOneForm(ctx, Form::kVectorScalar, xs);
    }
    if (xs.num_elements() == 1 && xs.rank() <= ys.rank()) {
      return RunOneForm(ctx, Form::kScalarVector, ys);
    }
    StatusOr<Broadcast> b = Broadcast::Make({&xs, &ys});
    if (!b.ok()) {
      if (!answers_incompatible_) return b.status();
      ctx.set_output(0, Tensor::Scalar<bool>(if_incompatible_));
      return OkStatus();
    }
    MR_ASSIGN_OR_RETURN(Tensor * z,
                        Output(ctx, b->shape(), b->IsDense(0), b->IsDense(1)));
    const char* x = ctx.input(0).data();
    const char* y = ctx.input(1).data();
    char* out = z->mutable_data();
    return Finish(ctx, b->total(), [&](int64_t begin, int64_t end) {
      return b->inner_size() < kShortRun && plain_
                 ? Gathered(*b, x, y, out, begin, end)
                 : Spans(*b, x, y, out, begin, end);
    });
  }

 private:
  using Form = BinaryRunner::Form;

  StatusOr<Tensor*> Output(KernelContext& ctx, TensorShape shape, bool x_fits,
                           bool y_fits) const {
    if (!forwards_) return ctx.AllocateOutput(0, std::move(shape));
    if (x_fits && y_fits) {
      return ctx.ForwardOrAllocateOutput({0, 1}, 0, std::move(shape));
    }
    if (x_fits) return ctx.ForwardOrAllocateOutput({0}, 0, std::move(shape));
    if (y_fits) return ctx.ForwardOrAllocateOutput({1}, 0, std::move(shape));
    return ctx.AllocateOutput(0, std::move(shape));
  }

  Status RunOneForm(KernelContext& ctx, Form form, TensorShape shape) const {
    const int64_t total = shape.num_elements();
    MR_ASSIGN_OR_RETURN(
        Tensor * z, Output(ctx, std::move(shape), form != Form::kScalarVector,
                           form != Form::kVectorScalar));
    const char* x = ctx.input(0).data();
    const char* y = ctx.input(1).data();
    char* out = z->mutable_data();
    const size_t x_step = form == Form::kScalarVector ? 0 : input_bytes_;
    const size_t y_step = form == Form::kVectorScalar ? 0 : input_bytes_;
    return Finish(ctx, total, [&](int64_t begin, int64_t end) {
      return runner_.Run(form, x + begin * x_step, y + begin * y_step,
                         out + begin * output_bytes_, end - begin);
    });
  }

  template <class F>
  Status Finish(KernelContext& ctx, int64_t total, F&& range) const {
    std::atomic<bool> ok{true};
    MR_RETURN_IF_ERROR(
        ShardElements(ctx, total, cost_picos_, [&](int64_t begin, int64_t end) {
          if (!range(begin, end)) ok.store(false, std::memory_order_relaxed);
        }));
    if (!ok.load(std::memory_order_relaxed)) return InvalidArgument(no_result_);
    return OkStatus();
  }

  bool Spans(const Broadcast& b, const char* x, const char* y, char* z,
             int64_t begin, int64_t end) const {
    const Form form = b.inner_is_scalar(1)   ? Form::kVectorScalar
                      : b.inner_is_scalar(0) ? Form::kScalarVector
                                             : Form::kVectorVector;
    bool ok = true;
    b.ForEachSpan(begin, end,
                  [&](const int64_t* offsets, int64_t at, int64_t n) {
                    ok &= runner_.Run(form, x + offsets[0] * input_bytes_,
                                      y + offsets[1] * input_bytes_,
                                      z + at * output_bytes_, n);
                  });
    return ok;
  }

  // Returns an operand as blocks with an element for each output.
  class Gatherer {
   public:
    Gatherer(const Broadcast& b, int operand, const char* data, size_t bytes)
        : b_(b), operand_(operand), data_(data), bytes_(bytes) {
      if (b.IsDense(operand)) {
        kind_ = kDense;
      } else if (b.IsPeriodic(operand)) {
        kind_ = kPeriodic;
        const size_t period = static_cast<size_t>(b.inner_size()) * bytes;
        const size_t length = kGatherBlock * bytes + period;
        for (size_t at = 0; at < length; at += period) {
          std::copy_n(data, period, block_ + at);
        }
      }
    }
    const char* Block(int64_t at, int64_t n) {
      if (kind_ == kDense) return data_ + at * bytes_;
      if (kind_ == kPeriodic) return block_ + at % b_.inner_size() * bytes_;
      b_.Gather(operand_, data_, at, n, bytes_, block_);
      return block_;
    }

   private:
    enum Kind { kDense, kPeriodic, kAny };
    const Broadcast& b_;
    int operand_;
    const char* data_;
    size_t bytes_;
    Kind kind_ = kAny;
    alignas(64) char block_[(kGatherBlock + 2 * kShortRun) * 16];
  };

  bool Gathered(const Broadcast& b, const char* x, const char* y, char* z,
                int64_t begin, int64_t end) const {
    Gatherer xs(b, 0, x, input_bytes_);
    Gatherer ys(b, 1, y, input_bytes_);
    bool ok = true;
    for (int64_t at = begin; at < end; at += kGatherBlock) {
      const int64_t n = std::min(kGatherBlock, end - at);
      ok &= runner_.Run(Form::kVectorVector, xs.Block(at, n), ys.Block(at, n),
                        z + at * output_bytes_, n);
    }
    return ok;
  }

  BinaryRunner runner_;
  int cost_picos_;
  const char* no_result_;
  size_t input_bytes_;
  size_t output_bytes_;
  bool plain_;     // false for strings, which are assigned one by one
  bool forwards_;  // the output may take over an input's buffer
  bool same_size_ = false;
  bool same_shape_ = false;
  bool answers_incompatible_ = false;
  bool if_incompatible_ = false;
};

// Runs a function whose inputs have one shape and the output's element size.
class FunctionKernel {
 public:
  FunctionKernel(std::unique_ptr<const ElementwiseFunction> function,
                 size_t bytes)
      : function_(std::move(function)), bytes_(bytes) {}

  Status Run(KernelContext& ctx) const {
    const TensorShape shape = ctx.input(0).shape();
    const int num_inputs = function_->num_inputs();
    const char* in[ElementwiseFunction::kMaxInputs] = {};
    for (int i = 0; i < num_inputs; ++i) {
      if (ctx.input(i).shape() != shape) return DifferentShapes(ctx, i);
      in[i] = ctx.input(i).data();
    }
    MR_ASSIGN_OR_RETURN(Tensor* const z,
                        num_inputs == 1
                            ? ctx.ForwardOrAllocateOutput({0}, 0, shape)
                            : ctx.ForwardOrAllocateOutput({0, 1}, 0, shape));
    char* const out = z->mutable_data();
    return ShardElements(
        ctx, shape.num_elements(), function_->cost_picos(),
        [&](int64_t begin, int64_t end) {
          const char* from[ElementwiseFunction::kMaxInputs] = {};
          for (int i = 0; i < num_inputs; ++i) from[i] = in[i] + begin * bytes_;
          function_->Run(from, 0, out + begin * bytes_, end - begin);
        });
  }

 private:
  std::unique_ptr<const ElementwiseFunction> function_;
  size_t bytes_;
};

class UnaryElements final : public ElementwiseFunction {
 public:
  UnaryElements(UnaryRunner runner, int cost_picos)
      : ElementwiseFunction(1, /*broadcasts=*/true, cost_picos, ""),
        runner_(runner) {}
  bool Run(const char* const* in, uint32_t, char* out,
           int64_t n) const override {
    runner_.Run(in[0], out, n);
    return true;
  }

 private:
  const UnaryRunner runner_;
};

class BinaryElements final : public ElementwiseFunction {
 public:
  BinaryElements(BinaryRunner runner, const BinaryTable& table,
                 OperandShapes shapes)
      : ElementwiseFunction(2, shapes == OperandShapes::kBroadcast,
                            table.cost_picos, table.no_result),
        runner_(runner) {}
  bool Run(const char* const* in, uint32_t scalars, char* out,
           int64_t n) const override {
    const BinaryRunner::Form form =
        scalars == 2   ? BinaryRunner::Form::kVectorScalar
        : scalars == 1 ? BinaryRunner::Form::kScalarVector
                       : BinaryRunner::Form::kVectorVector;
    return runner_.Run(form, in[0], in[1], out, n);
  }

 private:
  const BinaryRunner runner_;
};

}  // namespace

Status DifferentShapes(const KernelContext& ctx, int input) {
  return InvalidArgument("Inputs to operation ", ctx.node().name, " of type ",
                         ctx.node().op->name,
                         " must have the same size and shape.  Input 0: ",
                         ctx.input(0).shape().DebugString(), " != input ",
                         input, ": ", ctx.input(input).shape().DebugString());
}

Status ShardElements(KernelContext& ctx, int64_t total, int64_t cost_picos,
                     absl::FunctionRef<void(int64_t, int64_t)> f) {
  if (total <= 4 * kShardUnit) {  // takes a few microseconds
    if (total > 0) f(0, total);
    return OkStatus();
  }
  const int64_t units = (total + kShardUnit - 1) / kShardUnit;
  const int64_t nanos = std::max<int64_t>(1, kShardUnit * cost_picos / 1000);
  return ctx.ParallelFor(units, nanos, [&](int64_t begin, int64_t end) {
    f(begin * kShardUnit, std::min(total, end * kShardUnit));
  });
}

StatusOr<UnaryRunner> UnaryRunner::Make(const UnaryTable& table, DataType input,
                                        DataType output) {
  UnaryRunner r;
  r.loop_ = table.loops[static_cast<int>(LoopType(table.loops, input))];
  r.input_ = input;
  r.output_ = output;
  if (r.loop_ == nullptr) {
    return Internal("no loop for dtype ", DataTypeName(input));
  }
  return r;
}

void UnaryRunner::Run(const char* x, char* z, int64_t n) const {
  if (!ComputesInFloat(input_)) return loop_(x, z, n);
  float in[kFloatBlock];
  float out[kFloatBlock];
  for (int64_t i = 0; i < n; i += kFloatBlock) {
    const int64_t m = std::min(kFloatBlock, n - i);
    ToFloats(input_, x + i * 2, in, m);
    if (ComputesInFloat(output_)) {
      loop_(in, out, m);
      FromFloats(output_, out, z + i * 2, m);
    } else {
      loop_(in, z + i * SizeOf(output_), m);
    }
  }
}

StatusOr<BinaryRunner> BinaryRunner::Make(const BinaryTable& table,
                                          DataType input, DataType output) {
  BinaryRunner r;
  const DataType loop_type = LoopType(table.loops, input);
  r.loops_ = table.loops[static_cast<int>(loop_type)];
  r.input_ = input;
  r.output_ = output;
  r.converts_ = loop_type != input;
  if (r.loops_.vector_vector == nullptr) {
    return Internal("no loop for dtype ", DataTypeName(input));
  }
  return r;
}

bool BinaryRunner::Run(Form form, const char* x, const char* y, char* z,
                       int64_t n) const {
  const BinaryLoop loop = form == Form::kVectorVector   ? loops_.vector_vector
                          : form == Form::kVectorScalar ? loops_.vector_scalar
                                                        : loops_.scalar_vector;
  if (!converts_) return loop(x, y, z, n);
  float xs[kFloatBlock];
  float ys[kFloatBlock];
  float zs[kFloatBlock];
  if (form == Form::kVectorScalar) ToFloats(input_, y, ys, 1);
  if (form == Form::kScalarVector) ToFloats(input_, x, xs, 1);
  bool ok = true;
  for (int64_t i = 0; i < n; i += kFloatBlock) {
    const int64_t m = std::min(kFloatBlock, n - i);
    if (form != Form::kScalarVector) ToFloats(input_, x + i * 2, xs, m);
    if (form != Form::kVectorScalar) ToFloats(input_, y + i * 2, ys, m);
    if (ComputesInFloat(output_)) {
      ok &= loop(xs, ys, zs, m);
      FromFloats(output_, zs, z + i * 2, m);
    } else {
      ok &= loop(xs, ys, z + i * SizeOf(output_), m);
    }
  }
  return ok;
}

StatusOr<std::unique_ptr<Kernel>> MakeUnaryKernel(const KernelInit& init,
                                                  const UnaryTable& table) {
  const DataType input = RemoveRef(init.input_type(0));
  const DataType output = RemoveRef(init.output_type(0));
  MR_ASSIGN_OR_RETURN(UnaryRunner runner,
                      UnaryRunner::Make(table, input, output));
  return std::unique_ptr<Kernel>(new millrace::internal::KernelOf<UnaryKernel>(
      runner, table.cost_picos, input, output));
}

StatusOr<std::unique_ptr<Kernel>> MakeBinaryKernel(const KernelInit& init,
                                                   const BinaryTable& table) {
  const DataType input = RemoveRef(init.input_type(0));
  const DataType output = RemoveRef(init.output_type(0));
  MR_ASSIGN_OR_RETURN(BinaryRunner runner,
                      BinaryRunner::Make(table, input, output));
  return std::unique_ptr<Kernel>(new millrace::internal::KernelOf<BinaryKernel>(
      runner, table, input, output));
}

StatusOr<std::unique_ptr<Kernel>> MakeEqualityKernel(const KernelInit& init,
                                                     const BinaryTable& table,
                                                     bool if_incompatible) {
  const DataType input = RemoveRef(init.input_type(0));
  MR_ASSIGN_OR_RETURN(BinaryRunner runner,
                      BinaryRunner::Make(table, input, DataType::kBool));
  MR_ASSIGN_OR_RETURN(bool is_error,
                      init.Attr<bool>("incompatible_shape_error"));
  BinaryKernel kernel(runner, table, input, DataType::kBool);
  if (!is_error) kernel.set_if_incompatible(if_incompatible);
  return std::unique_ptr<Kernel>(
      new millrace::internal::KernelOf<BinaryKernel>(std::move(kernel)));
}

StatusOr<std::unique_ptr<Kernel>> MakeSameSizeKernel(const KernelInit& init,
                                                     const BinaryTable& table) {
  const DataType type = RemoveRef(init.input_type(0));
  MR_ASSIGN_OR_RETURN(BinaryRunner runner,
                      BinaryRunner::Make(table, type, type));
  BinaryKernel kernel(runner, table, type, type);
  kernel.set_same_size();
  return std::unique_ptr<Kernel>(
      new millrace::internal::KernelOf<BinaryKernel>(std::move(kernel)));
}

StatusOr<std::unique_ptr<Kernel>> MakeSameShapeKernel(
    const KernelInit& init, const BinaryTable& table) {
  const DataType type = RemoveRef(init.input_type(0));
  MR_ASSIGN_OR_RETURN(BinaryRunner runner,
                      BinaryRunner::Make(table, type, type));
  BinaryKernel kernel(runner, table, type, type);
  kernel.set_same_shape();
  return std::unique_ptr<Kernel>(
      new millrace::internal::KernelOf<BinaryKernel>(std::move(kernel)));
}

StatusOr<std::unique_ptr<Kernel>> MakeElementwiseKernel(const KernelInit& init,
                                                        ElementwiseMaker make) {
  MR_ASSIGN_OR_RETURN(std::unique_ptr<ElementwiseFunction> function,
                      make(init));
  return std::unique_ptr<Kernel>(
      new millrace::internal::KernelOf<FunctionKernel>(
          std::move(function), SizeOf(init.input_type(0))));
}

StatusOr<std::unique_ptr<ElementwiseFunction>> MakeUnaryFunction(
    const KernelInit& init, const UnaryTable& table) {
  MR_ASSIGN_OR_RETURN(UnaryRunner runner,
                      UnaryRunner::Make(table, RemoveRef(init.input_type(0)),
                                        RemoveRef(init.output_type(0))));
  return std::unique_ptr<ElementwiseFunction>(
      new UnaryElements(runner, table.cost_picos));
}

StatusOr<std::unique_ptr<ElementwiseFunction>> MakeBinaryFunction(
    const KernelInit& init, const BinaryTable& table, OperandShapes shapes) {
  MR_ASSIGN_OR_RETURN(BinaryRunner runner,
                      BinaryRunner::Make(table, RemoveRef(init.input_type(0)),
                                         RemoveRef(init.output_type(0))));
  return std::unique_ptr<ElementwiseFunction>(
      new BinaryElements(runner, table, shapes));
}

}  // namespace millrace::ops
