#include "millrace/ops/elementwise/program.gpu.h"

#include <algorithm>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "millrace/ops/elementwise/program_dims.gpu.h"

MR_GPU_SOURCE(elementwise_program);

namespace millrace::ops {
namespace {

// The widest load and store of a thread.
constexpr int kPackBytes = 16;
constexpr int kMaxWidth = 8;
// The limit on registers for the elements of all inputs.
constexpr int kMaxInputBytes = 256;

// The number of arguments in the parameters of a program, which come in three
// sizes.
struct ArgumentCounts {
  int in, out;
};
constexpr ArgumentCounts kFew = {3, 1};
constexpr ArgumentCounts kSome = {ElementwiseProgram::kMaxBroadcastInputs, 4};
constexpr ArgumentCounts kMany = {ElementwiseProgram::kMaxInputs,
                                  ElementwiseProgram::kMaxOutputs};

ArgumentCounts CountsFor(int inputs, int outputs) {
  for (const ArgumentCounts& counts : {kFew, kSome}) {
    if (inputs <= counts.in && outputs <= counts.out) return counts;
  }
  return kMany;
}

// As Operands of program.gpu.cu.
template <int kIn, int kOut>
struct ProgramOperands {
  GpuPointer in[kIn];
  GpuPointer out[kOut];
  uint64_t ones = 0;
  int32_t packed = 0;
  int32_t reserved = 0;
};

// Returns whether packs of `width` elements of all operands that are read or
// written in packs begin at multiples of their size.
template <int kIn, int kOut>
bool ArePacked(const ProgramOperands<kIn, kOut>& operands,
               absl::Span<const Tensor* const> inputs,
               absl::Span<Tensor* const> outputs, int width) {
  const auto fits = [width](const Tensor& t) {
    return t.device_address() % (SizeOf(t.dtype()) * width) == 0;
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    if ((operands.ones >> i & 1) == 0 && !fits(*inputs[i])) return false;
  }
  return std::all_of(outputs.begin(), outputs.end(),
                     [&](const Tensor* t) { return fits(*t); });
}

template <int kIn, int kOut>
ProgramOperands<kIn, kOut> OperandsOf(absl::Span<const Tensor* const> inputs,
                                      absl::Span<Tensor* const> outputs) {
  ProgramOperands<kIn, kOut> operands;
  for (size_t i = 0; i < inputs.size(); ++i) {
    operands.in[i] = GpuInput(*inputs[i]);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    operands.out[i] = GpuOutput(*outputs[i]);
  }
  return operands;
}

}  // namespace

int ElementwiseProgramBuilder::AddInput(DataType type) {
  inputs_.push_back(static_cast<int>(values_.size()));
  values_.push_back(
      {type, absl::StrCat("x", inputs_.size() - 1, "[i]"), std::string()});
  return inputs_.back();
}

int ElementwiseProgramBuilder::AddOp(const ElementwiseText& op,
                                     absl::Span<const int> operands,
                                     DataType type) {
  for (const GpuSource* source : op.sources) {
    if (std::find(sources_.begin(), sources_.end(), source) == sources_.end()) {
      sources_.push_back(source);
    }
  }
  slow_ = slow_ || op.slow;
  std::string expression;
  for (size_t at = 0; at < op.expression.size(); ++at) {
    if (op.expression[at] != '$') {
      expression += op.expression[at];
      continue;
    }
    size_t operand = 0;
    while (at + 1 < op.expression.size() &&
           absl::ascii_isdigit(
               static_cast<unsigned char>(op.expression[at + 1]))) {
      operand = operand * 10 + static_cast<size_t>(op.expression[++at] - '0');
    }
    expression += values_[static_cast<size_t>(operands[operand])].name;
  }
  const int number = static_cast<int>(values_.size());
  values_.push_back({type, absl::StrCat("v", number), std::move(expression)});
  return number;
}

void ElementwiseProgramBuilder::AddOutput(int value) {
  outputs_.push_back(value);
}

int ElementwiseProgramBuilder::Width() const {
  if (slow_) return 1;
  int largest = 1, input_bytes = 0;
  for (const Value& value : values_) {
    largest = std::max(largest, static_cast<int>(SizeOf(value.type)));
    if (value.expression.empty()) {
      input_bytes += static_cast<int>(SizeOf(value.type));
    }
  }
  int width = std::min(kMaxWidth, kPackBytes / largest);
  while (width > 1 && width * input_bytes > kMaxInputBytes) width /= 2;
  return width;
}

std::string ElementwiseProgramBuilder::Text() const {
  const ArgumentCounts counts = CountsFor(num_inputs(), num_outputs());
  std::string text, each_input, each_output;
  absl::StrAppend(&text, "constexpr int kWidth = ", Width(),
                  ", kInputs = ", counts.in, ", kOutputs = ", counts.out,
                  ";\ntemplate <int kN>\nstruct Elements {\n");
  for (size_t i = 0; i < inputs_.size(); ++i) {
    absl::StrAppend(&text, "  In<",
                    GpuTypeName(values_[static_cast<size_t>(inputs_[i])].type),
                    ", kN> x", i, ";\n");
    absl::StrAppend(&each_input, " f(", i, ", x", i, ");");
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    absl::StrAppend(&text, "  Out<",
                    GpuTypeName(values_[static_cast<size_t>(outputs_[i])].type),
                    ", kN> z", i, ";\n");
    absl::StrAppend(&each_output, " f(", i, ", z", i, ");");
  }
  absl::StrAppend(&text,
                  "  MR_DEVICE void Compute() {\n"
                  "#pragma unroll\n"
                  "    for (int i = 0; i < kN; ++i) {\n");
  for (const Value& value : values_) {
    if (value.expression.empty()) continue;
    absl::StrAppend(&text, "      const ", GpuTypeName(value.type), " ",
                    value.name, " = ", value.expression, ";\n");
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    absl::StrAppend(&text, "      z", i,
                    "[i] = ", values_[static_cast<size_t>(outputs_[i])].name,
                    ";\n");
  }
  absl::StrAppend(
      &text,
      "    }\n  }\n"
      "  template <class F>\n  MR_DEVICE void EachInput(F f) {",
      each_input,
      " }\n  template <class F>\n  MR_DEVICE void EachOutput(F f) {",
      each_output,
      " }\n};\n"
      "extern \"C\" __global__ void __launch_bounds__(256)\n"
      "Flat(Operands<kInputs, kOutputs> o, int64_t n) {\n"
      "  RunFlat<Elements, kWidth>(o, n);\n}\n");
  if (num_inputs() > 1 &&
      counts.in <= ElementwiseProgram::kMaxBroadcastInputs) {
    absl::StrAppend(
        &text,
        "extern \"C\" __global__ void __launch_bounds__(256)\n"
        "Broadcast(Operands<kInputs, kOutputs> o, Dims<kInputs> d) {\n"
        "  RunBroadcast<Elements, kWidth>(o, d);\n}\n");
  }
  return text;
}

StatusOr<ElementwiseProgram> ElementwiseProgramBuilder::Build(
    const KernelInit& init) const {
  ElementwiseProgram program;
  program.width_ = Width();
  const std::string text = Text();
  const GpuSource generated = {"generated by elementwise/program.gpu.cc",
                               text.c_str()};
  std::vector<const GpuSource*> sources = {
      &MR_GPU_SOURCE_OF(elementwise_program)};
  sources.insert(sources.end(), sources_.begin(), sources_.end());
  sources.push_back(&generated);
  MR_ASSIGN_OR_RETURN(program.flat_,
                      LoadGpuFunction(init, sources, "Flat", {}));
  const ArgumentCounts counts = CountsFor(num_inputs(), num_outputs());
  if (num_inputs() > 1 &&
      counts.in <= ElementwiseProgram::kMaxBroadcastInputs) {
    MR_ASSIGN_OR_RETURN(program.broadcast_,
                        LoadGpuFunction(init, sources, "Broadcast", {}));
  }
  return program;
}

Status ElementwiseProgram::Run(KernelContext& ctx,
                               absl::Span<const Tensor* const> inputs,
                               absl::Span<Tensor* const> outputs) const {
  const int64_t total = outputs[0]->num_elements();
  if (total == 0) return OkStatus();
  const bool flat =
      std::all_of(inputs.begin(), inputs.end(), [total](const Tensor* x) {
        return x->num_elements() == total || x->num_elements() == 1;
      });
  if (!flat && broadcast_.get() == nullptr) {
    return Unimplemented(inputs.size(), " inputs cannot be broadcast at once");
  }
  const ArgumentCounts counts = CountsFor(static_cast<int>(inputs.size()),
                                          static_cast<int>(outputs.size()));
  if (counts.in == kFew.in) {
    return flat ? Launch<kFew.in, kFew.out>(ctx, inputs, outputs)
                : LaunchBroadcast<kFew.in, kFew.out>(ctx, inputs, outputs);
  }
  if (counts.in == kSome.in) {
    return flat ? Launch<kSome.in, kSome.out>(ctx, inputs, outputs)
                : LaunchBroadcast<kSome.in, kSome.out>(ctx, inputs, outputs);
  }
  return Launch<kMany.in, kMany.out>(ctx, inputs, outputs);
}

template <int kIn, int kOut>
Status ElementwiseProgram::Launch(KernelContext& ctx,
                                  absl::Span<const Tensor* const> inputs,
                                  absl::Span<Tensor* const> outputs) const {
  const int64_t total = outputs[0]->num_elements();
  ProgramOperands<kIn, kOut> operands = OperandsOf<kIn, kOut>(inputs, outputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i]->num_elements() == 1) operands.ones |= uint64_t{1} << i;
  }
  const bool packed = ArePacked(operands, inputs, outputs, width_);
  operands.packed = packed ? 1 : 0;
  const int64_t width = packed ? width_ : 1;
  return LaunchGpu(ctx, flat_, GridOver((total + width - 1) / width), operands,
                   total);
}

template <int kIn, int kOut>
Status ElementwiseProgram::LaunchBroadcast(
    KernelContext& ctx, absl::Span<const Tensor* const> inputs,
    absl::Span<Tensor* const> outputs) const {
  const auto from = DimsOfProgram(outputs[0]->shape(), inputs);
  if (from.size() > kMaxProgramRank) {
    return Unimplemented(
        "Broadcasting that needs ", from.size(),
        " dimensions; on a GPU at most ", kMaxProgramRank,
        " are supported, after adjacent ones are joined. Output shape: ",
        outputs[0]->shape().DebugString());
  }
  ProgramOperands<kIn, kOut> operands = OperandsOf<kIn, kOut>(inputs, outputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (from[0].stride[i] == 0) operands.ones |= uint64_t{1} << i;
  }
  const bool packed = from[0].size % width_ == 0 &&
                      ArePacked(operands, inputs, outputs, width_);
  const int64_t width = packed ? width_ : 1;
  ProgramDims<kIn> dims;
  dims.packed = packed ? 1 : 0;
  dims.rank = static_cast<int32_t>(from.size());
  dims.packs = outputs[0]->num_elements() / width;
  dims.is_wide = dims.packs > std::numeric_limits<int32_t>::max() ? 1 : 0;
  for (size_t d = 0; d < from.size(); ++d) {
    const int64_t step = d == 0 ? width : 1;
    dims.size[d] = from[d].size / step;
    for (size_t i = 0; i < inputs.size(); ++i) {
      dims.stride[d][i] = from[d].stride[i] * step;
    }
    if (dims.is_wide == 0) {
      dims.divisor[d] = GpuDivisor(static_cast<uint32_t>(dims.size[d]));
    }
  }
  return LaunchGpu(ctx, broadcast_, GridOver(dims.packs), operands, dims);
}

}  // namespace millrace::ops
