// A model with a large table over the parameter servers, of which a step moves
// only the rows that it touches.
//
// Each example is a few words; the table has a row of numbers for each word,
// and the class is told by the mean of the rows. The table lies in parts on two
// parameter servers. A worker asks for the rows of its batch, and sends their
// gradients back; whether the table has thousands of rows or a million makes no
// difference for what goes over the wire. Taken as a whole, it all goes, each
// step, both ways.
#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "examples/parallel/cpp/cluster.h"
#include "examples/parallel/cpp/picture.h"
#include "examples/parallel/cpp/table.h"
#include "examples/parallel/cpp/values_watch.h"
#include "millrace/millrace.h"

namespace millrace::parallel {
namespace {

constexpr int kTablePs = 2;
constexpr int64_t kWordClasses = 10;
constexpr int64_t kWords = 8;            // of an example
constexpr int64_t kWordsOfItsClass = 5;  // of these; the others are of any
// The number of the first batch that is not trained on.
constexpr int64_t kTestBegin = 1'000'000;
constexpr int64_t kTouchedBatches = 100;  // by which rows are counted

struct WordBatch {
  Tensor words;   // int32 [batch, kWords]
  Tensor labels;  // int32 [batch]
};

// Words are numbers from 0, the frequent ones first; a word belongs to the
// class of its last digit.
struct WordExamples {
  int64_t rows = 0;
  int64_t batch = 0;

  // The same number gives the same batch.
  WordBatch BatchOf(int64_t number) const {
    Rng rng(static_cast<uint64_t>(number));
    WordBatch made = {
        .words = Tensor::New(DataType::kInt32, TensorShape({batch, kWords})),
        .labels = Tensor::New(DataType::kInt32, TensorShape({batch}))};
    int32_t* word = made.words.mutable_flat<int32_t>().data();
    // The n-th group of ten words is about half as frequent as the n/2-th: an
    // even distribution of the logarithm.
    const double most = std::log(static_cast<double>(rows / kWordClasses));
    for (int32_t& label : made.labels.mutable_flat<int32_t>()) {
      label = static_cast<int32_t>(rng.Uniform(kWordClasses));
      for (int64_t i = 0; i < kWords; ++i) {
        const auto group =
            static_cast<int32_t>(std::exp(rng.Double() * most)) - 1;
        const auto digit = static_cast<int32_t>(rng.Uniform(kWordClasses));
        *word++ = group * static_cast<int32_t>(kWordClasses) +
                  (i < kWordsOfItsClass ? label : digit);
      }
    }
    return made;
  }

  // How many words a batch has, each counted once: the mean of some.
  double Touched(int64_t batches) const {
    const int64_t some = std::min(batches, kTouchedBatches);
    size_t words = 0;
    for (int64_t number = 0; number < some; ++number) {
      const WordBatch made = BatchOf(number);
      const auto all = made.words.flat<int32_t>();
      words += std::set<int32_t>(all.begin(), all.end()).size();
    }
    return static_cast<double>(words) / static_cast<double>(some);
  }
};

enum class Takes { kRows, kWholeTable };

// A worker's client: the graph and a session.
class WordModel {
 public:
  WordModel(const Cluster& cluster, int worker, const WordExamples& examples,
            int64_t width, Takes takes)
      : scope_(cluster.ReplicaOf(cluster.NewGraph(), worker)),
        session_(scope_, cluster.Master(worker)) {
    const Scope& s = scope_;
    words_ =
        ops::Placeholder(s.WithOpName("words"), DataType::kInt32,
                         {.shape = PartialShape({examples.batch, kWords})});
    labels_ = ops::Placeholder(s.WithOpName("labels"), DataType::kInt32,
                               {.shape = PartialShape({examples.batch})});
    const VariableScope variables(s);
    const ops::PartitionedVariable table =
        variables.GetPartitioned("table", TensorShape({examples.rows, width}),
                                 {.initializer = Zeros(),
                                  .partitioner = FixedSizePartitioner(kTablePs),
                                  .use_resource = true});
    const ops::Variable kernel = variables.GetVariable(
        "kernel", TensorShape({width, kWordClasses}),
        {.initializer =
             RandomNormal({.stddev = 1 / std::sqrt(static_cast<double>(width)),
                           .seed = 1})});
    if (!s.ok()) return;  // which a run reports
    const Output means = takes == Takes::kRows
                             ? MeansOfRows(table, examples.batch)
                             : MeansOfWhole(table);
    const Output logits = ops::MatMul(s, means, kernel);
    loss_ = train::SparseSoftmaxCrossEntropy(s, labels_, logits);
    right_ = ops::Mean(
        s, ops::Cast(s, ops::InTopK(s, logits, labels_, 1), DataType::kFloat),
        {0});
    train::AdagradOptimizer rule(0.5);
    train_op_ = rule.Minimize(
        s, ops::Mul(s, loss_, static_cast<float>(examples.batch)));
    initialize_ = ops::GlobalVariablesInitializer(s);
  }

  Status Initialize() { return session_.RunTargets({initialize_}); }
  Status Train(const WordBatch& batch) {
    return session_.RunTargets(Feeds(batch), {train_op_});
  }
  // The share of right answers, and the mean loss.
  StatusOr<std::pair<double, double>> Test(const WordBatch& batch) {
    MR_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                        session_.Run(Feeds(batch), {right_, loss_}));
    return std::pair<double, double>(out[0].scalar<float>(),
                                     out[1].scalar<float>());
  }

 private:
  std::vector<Feed> Feeds(const WordBatch& batch) const {
    return {{words_, batch.words}, {labels_, batch.labels}};
  }
  // Each row is asked for once, also if several examples have its word.
  Output MeansOfRows(const ops::PartitionedVariable& table, int64_t batch) {
    Tensor places =
        Tensor::New(DataType::kInt64, TensorShape({batch * kWords, 2}));
    auto place = places.mutable_flat<int64_t>();
    for (int64_t i = 0; i < batch * kWords; ++i) {
      place[static_cast<size_t>(2 * i)] = i / kWords;
      place[static_cast<size_t>(2 * i + 1)] = i % kWords;
    }
    const ops::SparseIds ids = {
        .indices = ops::Const(scope_, std::move(places)),
        .values = ops::Reshape(scope_, words_, {int64_t{-1}}),
        .dense_shape =
            ops::Const(scope_, Tensor::Vector<int64_t>({batch, kWords}))};
    return ops::EmbeddingLookupSparse(
        scope_, table.parts(), ids, {.strategy = ops::PartitionStrategy::kDiv});
  }
  // The parts are joined on the worker. The gradient of a product has the size
  // of the table, too; that of a lookup in the joined parts would be rows.
  Output MeansOfWhole(const ops::PartitionedVariable& table) {
    const Output whole = ops::Mul(scope_, table.Value(scope_), 1.0f);
    const Output rows = ops::GatherV2(scope_, whole, words_, 0);
    return ops::Mean(scope_, rows, {1});
  }

  const Scope scope_;
  Session session_;
  Output words_;
  Output labels_;
  Output loss_;
  Output right_;
  Operation train_op_;
  Operation initialize_;
};

struct EmbeddingSize {
  int64_t width = 32;
  int64_t batch = 128;
  int64_t steps = 1'500;  // of each worker
  int64_t tests = 40;     // batches
  std::vector<int64_t> rows = {10'000, 100'000, 1'000'000};
};

class EmbeddingTrainings {
 public:
  EmbeddingTrainings(const EmbeddingSize& size, Cluster& cluster)
      : size_(size), cluster_(cluster) {}

  Status Train(const std::string& name, int64_t rows, int workers,
               Takes takes) {
    MR_RETURN_IF_ERROR(cluster_.Reset());
    const WordExamples examples = {.rows = rows, .batch = size_.batch};
    std::vector<std::unique_ptr<WordModel>> models;
    for (int i = 0; i < workers; ++i) {
      models.push_back(std::make_unique<WordModel>(cluster_, i, examples,
                                                   size_.width, takes));
    }
    MR_RETURN_IF_ERROR(models[0]->Initialize());
    MR_ASSIGN_OR_RETURN(const int64_t before, cluster_.BytesBetweenTasks());
    const int64_t begin = NowNanos();
    MR_RETURN_IF_ERROR(OnThreads(workers, [&](int i) -> Status {
      for (int64_t step = 0; step < size_.steps; ++step) {
        MR_RETURN_IF_ERROR(models[static_cast<size_t>(i)]->Train(
            examples.BatchOf(step * workers + i)));
      }
      return OkStatus();
    }));
    const double seconds = SecondsSince(begin);
    MR_ASSIGN_OR_RETURN(const int64_t after, cluster_.BytesBetweenTasks());
    const double moved = static_cast<double>(after - before) /
                         static_cast<double>(size_.steps * workers);
    return Add(name, examples, *models[0], workers, seconds, moved);
  }

  Findings Show(Findings findings) const {
    findings.Show(
        absl::StrFormat("A table over %d parameter servers", kTablePs), table_,
        absl::StrCat(
            "A row of ", size_.width, " numbers is ", Bytes(RowBytes()),
            ". A step asks for the rows of its words, and sends their "
            "gradients; of the whole table it takes all. The accuracy is that "
            "of new examples after ",
            Count(static_cast<double>(size_.steps)),
            " steps of each worker: larger tables have words that were seldom "
            "seen."));
    findings.Draw("embedding",
                  Picture("What a step moves of an embedding",
                          {BarsPanel("MB of the table", sizes_),
                           BarsPanel("MB that a step moves", moved_)}));
    return findings;
  }

 private:
  double RowBytes() const {
    return static_cast<double>(size_.width) * sizeof(float);
  }

  Status Add(const std::string& name, const WordExamples& examples,
             WordModel& model, int workers, double seconds, double moved) {
    double right = 0;
    double loss = 0;
    for (int64_t i = 0; i < size_.tests; ++i) {
      MR_ASSIGN_OR_RETURN(const auto found,
                          model.Test(examples.BatchOf(kTestBegin + i)));
      right += found.first / static_cast<double>(size_.tests);
      loss += found.second / static_cast<double>(size_.tests);
    }
    const double bytes = static_cast<double>(examples.rows) * RowBytes();
    const auto steps = static_cast<double>(size_.steps);
    const std::string rows = Count(static_cast<double>(examples.rows));
    table_.Add(
        {name, rows, Bytes(bytes), Count(examples.Touched(size_.steps)),
         Bytes(moved), absl::StrFormat("%.4g %%", 100 * moved / bytes),
         Seconds(seconds / steps),
         Count(static_cast<double>(size_.batch * workers) * steps / seconds),
         Percent(right), Fixed(loss, 4)});
    constexpr double kMega = 1e6;
    const std::string bar = absl::StrCat(name, ", ", rows);
    sizes_.push_back({.name = bar, .value = bytes / kMega});
    moved_.push_back({.name = bar, .value = moved / kMega});
    return OkStatus();
  }

  const EmbeddingSize& size_;
  Cluster& cluster_;
  Table table_{{"what", "rows", "table", "rows touched", "bytes a step",
                "of the table", "a step", "examples/s", "accuracy", "loss"}};
  std::vector<Bar> sizes_;
  std::vector<Bar> moved_;
};

}  // namespace

Status Embedding(const Options& options) {
  const EmbeddingSize size = options.is_small
                                 ? EmbeddingSize{.width = 16,
                                                 .batch = 32,
                                                 .steps = 60,
                                                 .tests = 10,
                                                 .rows = {1'000, 100'000}}
                                 : EmbeddingSize();
  MR_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster,
                      Cluster::Start(options, {.ps = kTablePs, .workers = 2}));
  EmbeddingTrainings trainings(size, *cluster);
  MR_RETURN_IF_ERROR(
      trainings.Train("the whole table", size.rows[0], 1, Takes::kWholeTable));
  for (const int64_t rows : size.rows) {
    MR_RETURN_IF_ERROR(trainings.Train("rows alone", rows, 1, Takes::kRows));
  }
  MR_RETURN_IF_ERROR(trainings.Train("rows alone, 2 workers", size.rows.back(),
                                     2, Takes::kRows));
  return trainings.Show(Findings(options)).Write();
}

}  // namespace millrace::parallel
