// From which license ten words are: the mean of their rows of a large table,
// which is split over the parameter servers. A step moves only the rows that it
// touches, there and back, whatever the size of the table.
#include <cctype>

#include "examples/networks/license_texts.h"
#include "examples/networks/networks.h"
#include "millrace/millrace.h"

namespace millrace::networks {
namespace {

constexpr double kEmbeddingRate = 0.5;
constexpr int64_t kWords = 10;  // of an example
constexpr int64_t kColumns = 16;
constexpr int64_t kTestPart = 5;  // every fifth example is for the test

struct Examples {
  std::vector<int64_t> words;    // kWords an example, rows of the table
  std::vector<int32_t> license;  // of each example
  int64_t classes = 0;

  int64_t size() const { return static_cast<int64_t>(license.size()); }
  std::vector<Tensor> Batch(const std::vector<int64_t>& numbers) const {
    const int64_t n = static_cast<int64_t>(numbers.size());
    Tensor ids = Tensor::New(DataType::kInt64, TensorShape({n, kWords}));
    Tensor labels = Tensor::New(DataType::kInt32, TensorShape({n}));
    for (size_t i = 0; i < numbers.size(); ++i) {
      std::copy_n(words.begin() + numbers[i] * kWords, kWords,
                  ids.mutable_flat<int64_t>().begin() +
                      static_cast<int64_t>(i) * kWords);
      labels.mutable_flat<int32_t>()[i] =
          license[static_cast<size_t>(numbers[i])];
    }
    return {ids, labels};
  }
};

// FNV-1a: every word has a row, and mostly one of its own.
int64_t RowOf(const std::string& word, int64_t rows) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : word) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }
  return static_cast<int64_t>(hash % static_cast<uint64_t>(rows));
}

StatusOr<std::pair<Examples, Examples>> Load(const std::string& folder,
                                             int64_t rows) {
  MR_ASSIGN_OR_RETURN(const std::vector<std::string> texts,
                      LoadLicenses(folder));
  Examples training;
  Examples test;
  int64_t number = 0;
  for (size_t license = 0; license < texts.size(); ++license) {
    std::vector<int64_t> words;
    std::string word;
    for (const char c : texts[license] + " ") {
      const auto u = static_cast<unsigned char>(c);
      if (u < 128 && std::isalpha(u)) {
        word.push_back(static_cast<char>(std::tolower(u)));
        continue;
      }
      if (!word.empty()) words.push_back(RowOf(word, rows));
      word.clear();
    }
    for (size_t i = 0; i + kWords <= words.size(); i += kWords) {
      Examples& to = number++ % kTestPart == 0 ? test : training;
      const auto begin = words.begin() + static_cast<int64_t>(i);
      to.words.insert(to.words.end(), begin, begin + kWords);
      to.license.push_back(static_cast<int32_t>(license));
    }
  }
  if (training.size() == 0 || test.size() == 0) {
    return InvalidArgument("the texts in '", folder, "' give ", number,
                           " examples of ", kWords,
                           " words, expected at least 2");
  }
  training.classes = test.classes = static_cast<int64_t>(texts.size());
  return std::pair(std::move(training), std::move(test));
}

StatusOr<Network> Build(const Scope& s, const VariableScope& v,
                        const TrainingOptions& options,
                        const Examples& training, const Examples& test) {
  Network net;
  const ops::Variable step = train::CreateGlobalStep(s);
  const Output ids = ops::Placeholder(s.WithOpName("ids"), DataType::kInt64,
                                      {.shape = PartialShape({-1, kWords})});
  const Output labels = ops::Placeholder(
      s.WithOpName("labels"), DataType::kInt32, {.shape = PartialShape({-1})});
  const ops::PartitionedVariable table = v.GetPartitioned(
      "table", TensorShape({options.rows, kColumns}),
      {.initializer = RandomUniform({.min = -0.05, .max = 0.05, .seed = 1}),
       .partitioner = FixedSizePartitioner(kPs),
       .use_resource = true});
  if (!table) return s.status();
  const Output rows = ops::EmbeddingLookup(
      s, table.parts(), ids, {.strategy = ops::PartitionStrategy::kDiv});
  const Output logits =
      train::Dense(v, ops::Mean(s, rows, {1}), training.classes,
                   {.kernel_initializer = GlorotUniform({.seed = 2})});
  net.feeds = {ids, labels};
  net.loss = train::SparseSoftmaxCrossEntropy(s, labels, logits);
  train::AdagradOptimizer optimizer(kEmbeddingRate);
  net.train_op = optimizer.Minimize(s, net.loss, {.global_step = step});
  net.next = [&training, batch = options.batch](int64_t number) {
    return training.Batch(BatchOf(number, batch, training.size()));
  };
  net.test_name = "test accuracy";
  net.test = ops::Mean(
      s, ops::Cast(s, ops::InTopK(s, logits, labels, 1), DataType::kFloat),
      {0});
  std::vector<int64_t> all(static_cast<size_t>(test.size()));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  net.test_feeds = {test.Batch(all)};
  MR_RETURN_IF_ERROR(s.status());
  return net;
}

}  // namespace

Status SplitEmbedding(Cluster& cluster, TrainingOptions options) {
  if (options.steps == 0) options.steps = options.is_small ? 1000 : 2000;
  if (options.batch == 0) options.batch = 32;
  if (options.rows == 0) options.rows = options.is_small ? 10'000 : 1'000'000;
  MR_ASSIGN_OR_RETURN(const auto examples, Load(options.data, options.rows));
  return Train(cluster, options, [&](const Scope& s, const VariableScope& v) {
    return Build(s, v, options, examples.first, examples.second);
  });
}

}  // namespace millrace::networks
