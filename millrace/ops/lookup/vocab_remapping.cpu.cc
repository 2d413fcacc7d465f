#include <limits>
#include <string>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/io/blocking.h"
#include "millrace/ops/lookup/static_table.h"
#include "millrace/ops/lookup/vocabulary_file.h"

namespace millrace::ops {
namespace {

StatusOr<int64_t> Int32Attr(const KernelInit& init, const char* name) {
  MR_ASSIGN_OR_RETURN(const int64_t value, init.Attr<int64_t>(name));
  if (value > std::numeric_limits<int32_t>::max() ||
      value < std::numeric_limits<int32_t>::min()) {
    return InvalidArgument("Attr ", name, " has value ", value,
                           " out of range for an int32");
  }
  return value;
}

StatusOr<std::string> FileName(const Tensor& t, const char* argument) {
  if (t.rank() != 0) {
    return InvalidArgument(argument, " should be a single string, but got ",
                           t.shape().DebugString());
  }
  std::string name = t.scalar<StringElement>().str();
  if (name.empty())
    return InvalidArgument("new vocab filename cannot be empty.");
  return name;
}

class VocabRemappingKernel {
 public:
  static StatusOr<VocabRemappingKernel> Make(const KernelInit& init) {
    VocabRemappingKernel k;
    MR_ASSIGN_OR_RETURN(k.offset_, Int32Attr(init, "new_vocab_offset"));
    MR_ASSIGN_OR_RETURN(k.count_, Int32Attr(init, "num_new_vocab"));
    MR_ASSIGN_OR_RETURN(k.old_lines_, Int32Attr(init, "old_vocab_size"));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    RunBlocking(ctx, std::move(done), [this, &ctx]() { return Remap(ctx); });
  }

 private:
  static constexpr int64_t kNumber = VocabularyFormat::kLineNumber;
  static constexpr int64_t kLine = VocabularyFormat::kWholeLine;

  Status Remap(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const std::string new_file,
                        FileName(ctx.input(0), "new_vocab_file"));
    MR_ASSIGN_OR_RETURN(const std::string old_file,
                        FileName(ctx.input(1), "old_vocab_file"));
    const auto lines =
        MakeRef<StaticTable>(DataType::kInt64, DataType::kString, "new_vocab");
    MR_RETURN_IF_ERROR(InitializeFromFile(
        ctx, {.key_index = kNumber, .value_index = kLine}, new_file, *lines));
    if (offset_ + count_ > lines->size()) {
      return InvalidArgument(
          "lookup table size must be larger than last new vocab entry's line");
    }
    const auto numbers =
        MakeRef<StaticTable>(DataType::kString, DataType::kInt64, "old_vocab");
    MR_RETURN_IF_ERROR(InitializeFromFile(
        ctx, {.key_index = kLine, .value_index = kNumber, .lines = old_lines_},
        old_file, *numbers));

    const TensorShape shape({count_});
    MR_ASSIGN_OR_RETURN(Tensor* const remapping, ctx.AllocateOutput(0, shape));
    int32_t present = 0;
    if (count_ > 0) {
      MR_ASSIGN_OR_RETURN(Tensor wanted,
                          ctx.AllocateTemp(DataType::kInt64, shape));
      const auto places = wanted.mutable_flat<int64_t>();
      for (size_t i = 0; i < places.size(); ++i) {
        places[i] = offset_ + static_cast<int64_t>(i);
      }
      MR_ASSIGN_OR_RETURN(Tensor words,
                          ctx.AllocateTemp(DataType::kString, shape));
      MR_RETURN_IF_ERROR(lines->Find(ctx, wanted, Tensor::Scalar(""), &words));
      MR_RETURN_IF_ERROR(
          numbers->Find(ctx, words, Tensor::Scalar<int64_t>(-1), remapping));
      for (const int64_t number : remapping->flat<int64_t>()) {
        if (number >= 0) ++present;
      }
    }
    ctx.set_output(1, Tensor::Scalar<int32_t>(present));
    return OkStatus();
  }

  int64_t offset_ = 0, count_ = 0, old_lines_ = -1;
};

}  // namespace

MR_KERNELS(GenerateVocabRemapping,
           Cpu){{.make = MakeKernel<VocabRemappingKernel>}};

}  // namespace millrace::ops
