// MatchingFilesDataset: the names of files, one pattern after the other.
#include "millrace/ops/data/blocking_call.h"
#include "millrace/ops/dataset/derived.h"

namespace millrace::ops {
namespace {

struct PatternParams {
  std::vector<std::string> patterns;
};

// Returns the files, not folders, that match a pattern, in the order of their
// names. Returns NOT_FOUND if there is no folder to look into.
StatusOr<std::vector<std::string>> FilesThatMatch(IteratorRuntime& runtime,
                                                  const std::string& pattern) {
  FileSystem* const files = runtime.files();
  const std::string fixed(Dirname(absl::string_view(pattern).substr(
      0, std::min(pattern.find_first_of("*?[\\"), pattern.size()))));
  if (!fixed.empty()) {
    MR_RETURN_IF_ERROR(files->GetChildren(fixed).status());
  }
  MR_ASSIGN_OR_RETURN(const auto paths, files->GetMatchingPaths(pattern));
  std::vector<std::string> found;
  for (const std::string& path : paths) {
    if (runtime.scope()->cancelled()) return runtime.scope()->status();
    if (!files->IsDirectory(path).ok()) found.push_back(path);
  }
  return found;
}

class MatchingFilesIterator final : public DerivedIterator<PatternParams> {
 public:
  using DerivedIterator::DerivedIterator;
  Status Begin(IteratorRuntime&) override { return OkStatus(); }
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    for (;;) {
      if (listing_.in_progress()) {
        MR_ASSIGN_OR_RETURN(const Pull done, listing_.Finish());
        if (done == Pull::kPending) return done;
        names_ = std::exchange(*found_, {});
        matched_ |= !names_.empty();
        listed_ = true;
      }
      if (listed_) {
        if (next_ < names_.size()) {
          out->assign(1, Tensor::Scalar<std::string>(names_[next_++]));
          return Pull::kElement;
        }
        names_.clear();
        listed_ = false;
        next_ = 0;
        ++pattern_;
      }
      const std::vector<std::string>& patterns = params().patterns;
      if (pattern_ >= patterns.size()) {
        if (matched_) return Pull::kEnd;
        return NotFound("Don't find any matched files");
      }
      // The runtime lives until the call is over.
      MR_RETURN_IF_ERROR(listing_.Start(
          ctx,
          [runtime = &ctx.runtime(), pattern = patterns[pattern_],
           found = found_]() -> Status {
            MR_ASSIGN_OR_RETURN(*found, FilesThatMatch(*runtime, pattern));
            return OkStatus();
          }));
    }
  }
  // Saves how many names of which pattern were returned.
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "pattern", static_cast<int64_t>(pattern_));
    out.Int(prefix + "next", static_cast<int64_t>(next_));
    out.Int(prefix + "matched", matched_);
    return OkStatus();
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(
        const int64_t pattern,
        in.Count(prefix + "pattern",
                 static_cast<int64_t>(params().patterns.size())));
    MR_ASSIGN_OR_RETURN(const int64_t next, in.Count(prefix + "next"));
    MR_ASSIGN_OR_RETURN(matched_, in.Flag(prefix + "matched"));
    pattern_ = static_cast<size_t>(pattern);
    next_ = static_cast<size_t>(next);
    return OkStatus();
  }

 private:
  BlockingCall listing_;
  // Written by the call in progress.
  const std::shared_ptr<std::vector<std::string>> found_ =
      std::make_shared<std::vector<std::string>>();
  std::vector<std::string> names_;  // that match the pattern, once listed
  size_t pattern_ = 0, next_ = 0;
  bool listed_ = false, matched_ = false;
};

StatusOr<Ref<DatasetValue>> BuildMatchingFiles(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  if (t.rank() > 1) {
    return InvalidArgument("`patterns` must be a scalar or a vector.");
  }
  PatternParams p;
  for (const StringElement& pattern : t.flat<StringElement>()) {
    p.patterns.push_back(pattern.str());
  }
  ElementSignature signature{{DataType::kString}, {PartialShape({})}};
  return Ref<DatasetValue>(MakeRef<DatasetOf<MatchingFilesIterator>>(
      std::move(signature), 1, std::vector<DatasetRef>(), std::move(p)));
}

}  // namespace

MR_KERNELS(MatchingFilesDataset, Cpu){MR_DATASET_KERNEL(BuildMatchingFiles)};
MR_KERNELS(ExperimentalMatchingFilesDataset,
           Cpu){MR_DATASET_KERNEL(BuildMatchingFiles)};

}  // namespace millrace::ops
