#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "millrace/checkpoint/records/byte_stream.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/io/blocking.h"
#include "millrace/ops/random/range_sampler.h"

namespace millrace::ops {
namespace {

struct SkipgramOptions {
  std::string file;
  int64_t batch_size = 0, window_size = 0, min_count = 0;
  float subsample = 0;
};

// Removes the first word from `text` and returns it; empty at the end.
absl::string_view TakeWord(absl::string_view* text) {
  const auto is_space = [](char c) {
    return absl::ascii_isspace(static_cast<unsigned char>(c));
  };
  const auto begin = std::find_if_not(text->begin(), text->end(), is_space);
  const auto end = std::find_if(begin, text->end(), is_space);
  const absl::string_view word =
      text->substr(static_cast<size_t>(begin - text->begin()),
                   static_cast<size_t>(end - begin));
  text->remove_prefix(static_cast<size_t>(end - text->begin()));
  return word;
}

// The words of a file as places in its vocabulary.
struct Corpus {
  std::vector<int32_t> words;
  std::vector<std::string> vocabulary;  // the first is UNK
  std::vector<int32_t> frequencies;
};

// Counts with std's table and sorts with its sort, as TensorFlow 1 does: they
// decide which of two words that are as frequent comes first.
StatusOr<Corpus> ReadCorpus(FileSystem* files, const SkipgramOptions& options) {
  MR_ASSIGN_OR_RETURN(const std::string data,
                      ReadWholeFile(files, options.file));
  std::unordered_map<std::string, int32_t> counts;
  int64_t total = 0;
  absl::string_view rest = data;
  for (auto word = TakeWord(&rest); !word.empty(); word = TakeWord(&rest)) {
    ++counts[std::string(word)];
    ++total;
  }
  if (total < options.window_size * 10) {
    return InvalidArgument("The text file ", options.file,
                           " contains too little data: ", total, " words");
  }
  if (total > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("The text file ", options.file,
                           " contains too much data: ", total, " words");
  }
  std::vector<std::pair<std::string, int32_t>> ordered;
  for (const auto& [word, count] : counts) {
    if (count >= options.min_count) ordered.emplace_back(word, count);
  }
  std::sort(ordered.begin(), ordered.end(),
            [](const auto& a, const auto& b) { return a.second > b.second; });
  Corpus corpus;
  corpus.vocabulary.emplace_back("UNK");
  corpus.frequencies.push_back(0);
  std::unordered_map<std::string, int32_t> places;
  int64_t counted = 0;
  for (auto& [word, count] : ordered) {
    places[word] = static_cast<int32_t>(corpus.vocabulary.size());
    corpus.vocabulary.push_back(std::move(word));
    corpus.frequencies.push_back(count);
    counted += count;
  }
  corpus.frequencies[0] = static_cast<int32_t>(total - counted);
  corpus.words.reserve(static_cast<size_t>(total));
  rest = data;
  for (auto word = TakeWord(&rest); !word.empty(); word = TakeWord(&rest)) {
    const auto it = places.find(std::string(word));
    corpus.words.push_back(it == places.end() ? 0 : it->second);
  }
  return corpus;
}

// Pairs of words, one after the other, from sentences of a fixed length that
// follow each other in the corpus. Not thread-safe.
class PairStream {
 public:
  // Requires: the corpus has words. It must outlive this.
  PairStream(const Corpus& corpus, int64_t window_size, float subsample)
      : corpus_(corpus),
        window_size_(window_size),
        subsample_(subsample),
        bits_(&generator_),
        next_word_(corpus.words.size()),
        sentence_(kSentence) {}

  struct Pair {
    int32_t example = 0, label = 0;
  };
  int32_t epoch() const { return epoch_; }
  int64_t words_done() const { return words_done_; }

  // Does not skip words any more once the step of `ctx` is cancelled.
  Pair Next(const KernelContext& ctx) {
    for (;;) {
      if (label_ >= label_end_) NextWord(ctx);
      if (word_ != label_) break;
      ++label_;
    }
    return {sentence_[static_cast<size_t>(word_)],
            sentence_[static_cast<size_t>(label_++)]};
  }

 private:
  static constexpr int64_t kSentence = 1000;
  static constexpr int64_t kWordsPerCheck = 1 << 16;

  void NextWord(const KernelContext& ctx) {
    ++words_done_;
    if (++word_ >= kSentence) {
      word_ = 0;
      FillSentence(ctx);
    }
    const int64_t reach =
        1 + (window_size_ == 0
                 ? NoReach()
                 : bits_.Below32(static_cast<uint32_t>(window_size_)));
    label_ = std::max<int64_t>(0, word_ - reach);
    label_end_ = std::min(kSentence, word_ + reach + 1);
  }

  // A number is drawn for a window of 0, too.
  int64_t NoReach() {
    bits_.Bits32();
    return 0;
  }

  void FillSentence(const KernelContext& ctx) {
    int64_t words = 0;
    bool cancelled = false;
    for (int32_t& word : sentence_) {
      do {
        if (++words % kWordsPerCheck == 0)
          cancelled = !ctx.CheckCancelled().ok();
        if (next_word_ >= corpus_.words.size()) {
          ++epoch_;
          next_word_ = 0;
        }
        word = corpus_.words[next_word_++];
      } while (!cancelled && subsample_ > 0 && LeavesOut(word));
    }
  }

  // Decides by chance, more often for frequent words.
  bool LeavesOut(int32_t word) {
    const auto frequency =
        static_cast<float>(corpus_.frequencies[static_cast<size_t>(word)]);
    const float expected =
        subsample_ * static_cast<float>(corpus_.words.size());
    const float kept =
        (std::sqrt(frequency / expected) + 1) * expected / frequency;
    return bits_.Float() > kept;
  }

  const Corpus& corpus_;
  const int64_t window_size_;
  const float subsample_;
  Philox4x32 generator_;  // without a seed: the same numbers in each session
  SamplerBits bits_;
  size_t next_word_;
  int32_t epoch_ = -1;
  int64_t words_done_ = 0;
  std::vector<int32_t> sentence_;
  int64_t word_ = kSentence;  // in the sentence
  // The words around it that are still to come.
  int64_t label_ = 0, label_end_ = 0;
};

class SkipgramKernel {
 public:
  static StatusOr<std::unique_ptr<SkipgramKernel>> Make(
      const KernelInit& init) {
    auto k = std::make_unique<SkipgramKernel>();
    SkipgramOptions& o = k->options_;
    MR_ASSIGN_OR_RETURN(o.file, init.Attr<std::string>("filename"));
    MR_ASSIGN_OR_RETURN(o.subsample, init.Attr<float>("subsample"));
    for (const auto& [name, value] : {std::pair("batch_size", &o.batch_size),
                                      std::pair("window_size", &o.window_size),
                                      std::pair("min_count", &o.min_count)}) {
      MR_ASSIGN_OR_RETURN(*value, init.Attr<int64_t>(name));
      if (*value > std::numeric_limits<int32_t>::max() ||
          *value < std::numeric_limits<int32_t>::min()) {
        return InvalidArgument("Attr ", name, " has value ", *value,
                               " out of range for an int32");
      }
    }
    if (o.batch_size < 0 || o.window_size < 0) {
      return InvalidArgument(
          "batch_size and window_size must not be negative, but are ",
          o.batch_size, " and ", o.window_size);
    }
    return k;
  }

  void RunAsync(KernelContext& ctx, Done done) const {
    RunBlocking(ctx, std::move(done), [this, &ctx]() { return Batch(ctx); });
  }

 private:
  // Pairs are made in batches of this many, of which the progress tells.
  static constexpr size_t kAhead = 3000;

  Status Batch(KernelContext& ctx) const {
    const TensorShape shape({options_.batch_size});
    MR_ASSIGN_OR_RETURN(Tensor* const examples, ctx.AllocateOutput(5, shape));
    MR_ASSIGN_OR_RETURN(Tensor* const labels, ctx.AllocateOutput(6, shape));
    const auto to_examples = examples->mutable_flat<int32_t>();
    const auto to_labels = labels->mutable_flat<int32_t>();
    MutexLock lock(mu_);
    if (stream_ == nullptr) {
      MR_ASSIGN_OR_RETURN(corpus_, ReadCorpus(ctx.step().files, options_));
      if (corpus_.words.empty()) {
        return InvalidArgument("The text file ", options_.file,
                               " contains too little data: 0 words");
      }
      stream_ = std::make_unique<PairStream>(corpus_, options_.window_size,
                                             options_.subsample);
      pairs_.resize(kAhead);
      MakePairs(ctx);
    }
    for (size_t i = 0; i < to_examples.size(); ++i) {
      to_examples[i] = pairs_[used_].example;
      to_labels[i] = pairs_[used_].label;
      if (++used_ < pairs_.size()) continue;
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      MakePairs(ctx);
    }
    ctx.set_output(0, Tensor::Vector<std::string>(
                          absl::MakeConstSpan(corpus_.vocabulary)));
    ctx.set_output(
        1, Tensor::Vector<int32_t>(absl::MakeConstSpan(corpus_.frequencies)));
    ctx.set_output(
        2, Tensor::Scalar<int64_t>(static_cast<int64_t>(corpus_.words.size())));
    ctx.set_output(3, Tensor::Scalar<int32_t>(stream_->epoch()));
    ctx.set_output(4, Tensor::Scalar<int64_t>(stream_->words_done()));
    return OkStatus();
  }

  void MakePairs(const KernelContext& ctx) const {
    for (PairStream::Pair& pair : pairs_) pair = stream_->Next(ctx);
    used_ = 0;
  }

  SkipgramOptions options_;
  mutable Mutex mu_;
  // Guarded by mu_.
  mutable Corpus corpus_;
  mutable std::unique_ptr<PairStream> stream_;  // null: nothing is read yet
  mutable std::vector<PairStream::Pair> pairs_;
  mutable size_t used_ = 0;
};

}  // namespace

MR_KERNELS(Skipgram, Cpu){{.make = MakeKernel<SkipgramKernel>}};

}  // namespace millrace::ops
