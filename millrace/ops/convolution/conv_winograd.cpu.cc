#include "millrace/ops/convolution/conv_winograd.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "millrace/ops/convolution/winograd_tiles.h"

namespace millrace::ops {
namespace {

// The floats of a block, chosen so that it and a panel of the filter stay in
// the second-level cache, and the number of tiles where channels are many.
constexpr int64_t kBlockFloats = 96 << 10;
// The number of units of work for the gradient of a filter, and the tiles of
// each. It does not depend on the threads, since the units' results are added
// up.
constexpr int64_t kMaxUnits = 16;
constexpr int64_t kUnitTiles = 96;
constexpr int64_t kLeastTiles = 4 * WinogradBlock::kStrip;
// Bounds the channels of the input. A block has all of them, except for the
// gradient of a filter; with more, it would be larger than the second-level
// cache and than small images.
constexpr int64_t kMaxInChannels = 2048;

// Returns the convolution that a pass computes. The gradient of the input is a
// convolution of the output's gradient with the filter flipped and transposed.
TiledConv TiledConvOf(ConvPass pass, const ConvProblem& p) {
  const Window &rows = p.window[1], &columns = p.window[2];
  if (pass != ConvPass::kInput) {
    return {p.batch,     rows.input,  columns.input,
            p.in_depth,  rows.output, columns.output,
            p.out_depth, rows.before, columns.before};
  }
  return {p.batch,     rows.output,     columns.output,
          p.out_depth, rows.input,      columns.input,
          p.in_depth,  2 - rows.before, 2 - columns.before};
}

// Memory for blocks that are computed at the same time.
class BlockPool {
 public:
  BlockPool(float* memory, int64_t size, int count)
      : memory_(memory),
        size_(size),
        count_(count),
        taken_(std::make_unique<std::atomic<bool>[]>(count)) {}

  // Holds one of `count` blocks; at most that many threads may hold one at a
  // time.
  class Use {
   public:
    explicit Use(BlockPool& pool) : pool_(pool) {
      while (pool.taken_[index_].exchange(true, std::memory_order_acquire)) {
        index_ = (index_ + 1) % pool.count_;
      }
    }
    ~Use() { pool_.taken_[index_].store(false, std::memory_order_release); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    float* memory() const { return pool_.memory_ + index_ * pool_.size_; }

   private:
    BlockPool& pool_;
    int index_ = 0;
  };

 private:
  float* const memory_;
  const int64_t size_;
  const int count_;
  const std::unique_ptr<std::atomic<bool>[]> taken_;
};

constexpr int64_t RoundUpTo(int64_t n, int64_t unit) {
  return (n + unit - 1) / unit * unit;
}

// The costs of the transformations, in multiply-adds at the machine's peak
// rate: for a channel of a tile (to or from), and for an element of the filter,
// including what else grows with its size. Measured in us on two cores of Zen 4
// with filters in no cache: forward, by oneDNN and by Winograd's algorithm:
//   [16,56,56,64] to 64: 16632, 9752    [1,14,14,256] to 256: 1204, 986
//   [8,28,28,16] to 16: 238, 159        [4,7,7,256] to 256: 1188, 1136
//   [1,14,14,64] to 64: 104, 91         [64,5,5,64] to 64: 465, 461
//   [1,28,28,64] to 64: 305, 207        [1,7,7,256] to 256: 475, 655
//   [8,28,28,64] to 3: 1117, 430        [8,28,28,3] to 64: 158, 197
//   [8,28,28,64] to 8: 579, 415         [8,28,28,8] to 8: 105, 96
// Gradients of the input take up to a tenth more by both. Gradients of the
// filter:
//   [16,56,56,64] to 64: 19095, 10921   [16,14,14,256] to 256: 17416, 11019
//   [8,28,28,64] to 16: 874, 646        [8,28,28,16] to 16: 205, 235
//   [1,28,28,64] to 64: 416, 526        [4,7,7,256] to 256: 1108, 1108
// `direct` is the cost of a multiply-add by oneDNN, which is higher for
// gradients of the filter without AVX-512. Two cores of Zen 3, forward and
// gradient of the filter:
//   [16,56,56,64] to 64: 35418, 15776   75204, 14155
//   [1,28,28,64] to 64: 396, 224        428, 219
//   [1,14,14,64] to 64: 111, 85         114, 115
//   [1,14,14,256] to 256: 2495, 1325    2045, 1134
//   [4,7,7,256] to 256: 1889, 1476      2785, 1758
//   [4,7,7,512] to 512: 11728, 13233    15252, 9214
//   [1,7,7,512] to 512: 4886, 8582      4877, 4534
struct TransformCosts {
  double tile_channel, filter_element, direct;
};
constexpr TransformCosts kCosts = {130, 900, 1}, kFilterCosts = {200, 3000, 1},
                         kFilterCostsAvx2 = {200, 2000, 1.8};
constexpr double kNanosPerMultiplyAdd = 0.02;

// Returns the cost of tiles and their transformations in multiply-adds.
double WorkOf(ConvPass pass, const TiledConv& c, int64_t tiles) {
  const auto in = static_cast<double>(c.in_depth);
  const auto channels =
      static_cast<double>(RoundUpTo(c.in_depth, kWinogradLanes));
  const auto out = static_cast<double>(RoundUpTo(c.out_depth, kWinogradLanes));
  const double products = kWinogradTaps * in * out;
  double transformed = kCosts.tile_channel * (channels + out);
  if (pass == ConvPass::kFilter) {
    // Each panel is transformed again for each panel of the other side.
    const auto ins = static_cast<double>(WinogradPanel::Count(c.in_depth));
    const auto outs = static_cast<double>(WinogradPanel::Count(c.out_depth));
    transformed = kFilterCosts.tile_channel * (channels * outs + out * ins);
  }
  return static_cast<double>(tiles) * (products + transformed);
}

// Returns the tiles of a block: as many as the second-level cache holds, but
// few enough for several blocks for each of about `shares` threads.
int64_t BlockTiles(const TiledConv& c, int64_t in_depth, int64_t shares) {
  const int64_t most =
      kBlockFloats / kWinogradTaps /
      (RoundUpTo(in_depth, kWinogradLanes) + WinogradPanel::kMaxChannels) /
      WinogradBlock::kStrip * WinogradBlock::kStrip;
  return std::min(
      std::max(kLeastTiles, most),
      RoundUpTo((c.Tiles() - 1) / (4 * shares) + 1, WinogradBlock::kStrip));
}

// Computes the gradient of a filter. A unit of work is a panel of the input, a
// panel of the output and a part of the tiles; each unit has sums of its own.
StatusOr<bool> RunFilterGradient(KernelContext& ctx,
                                 const WinogradKernels& kernels,
                                 const TiledConv& c, const float* x,
                                 const float* dy, float* filter) {
  const int width = ctx.device().intra_op_width();
  const int64_t tiles = c.Tiles();
  const int64_t ins = WinogradPanel::Count(c.in_depth);
  const int64_t outs = WinogradPanel::Count(c.out_depth);
  const int64_t pairs = ins * outs;
  const int64_t max_channels =
      std::min(c.in_depth, WinogradPanel::kMaxChannels);
  const WinogradBlock block(kernels, BlockTiles(c, max_channels, 1),
                            max_channels);
  const int64_t parts =
      std::clamp<int64_t>(tiles / kUnitTiles, 1, (kMaxUnits - 1) / pairs + 1);
  const int64_t sums_size = pairs * parts * WinogradBlock::kSumsSize;
  MR_ASSIGN_OR_RETURN(
      Tensor temp,
      ctx.AllocateTemp(DataType::kFloat,
                       TensorShape({sums_size + width * block.Size()})));
  float* const sums = temp.mutable_flat<float>().data();
  BlockPool pool(sums + sums_size, block.Size(), width);
  MR_RETURN_IF_ERROR(ctx.ParallelFor(
      pairs * parts,
      static_cast<int64_t>(kNanosPerMultiplyAdd *
                           WorkOf(ConvPass::kFilter, c, tiles) /
                           static_cast<double>(pairs * parts)),
      [&](int64_t begin, int64_t end) {
        const BlockPool::Use use(pool);
        for (int64_t unit = begin; unit < end; ++unit) {
          float* const to = sums + unit * WinogradBlock::kSumsSize;
          std::fill(to, to + WinogradBlock::kSumsSize, 0.0f);
          const int64_t pair = unit / parts, part = unit % parts;
          const auto in = WinogradPanel::At(c.in_depth, pair / outs);
          const auto out = WinogradPanel::At(c.out_depth, pair % outs);
          const int64_t channels =
              std::min(in.vectors * kWinogradLanes, c.in_depth - in.first);
          const int64_t last = tiles * (part + 1) / parts;
          for (int64_t first = tiles * part / parts; first < last;
               first += block.tiles()) {
            const int64_t n = std::min(block.tiles(), last - first);
            block.TransformInput(c, x + in.first, channels, first, n,
                                 use.memory());
            block.TransformGradient(c, out, dy, first, n, use.memory());
            block.AddProducts(channels, out, n, use.memory(), to);
          }
        }
      }));
  std::atomic<bool> finite{true};
  MR_RETURN_IF_ERROR(ctx.ParallelFor(
      pairs * WinogradPanel::kMaxVectors, 5'000 * parts,
      [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t pair = i / WinogradPanel::kMaxVectors;
          const int64_t v = i % WinogradPanel::kMaxVectors;
          const auto in = WinogradPanel::At(c.in_depth, pair / outs);
          if (v >= in.vectors) continue;
          if (!kernels.sums_to_filter(
                  c, {in.first + v * kWinogradLanes, 1},
                  WinogradPanel::At(c.out_depth, pair % outs),
                  sums + pair * parts * WinogradBlock::kSumsSize +
                      v * kWinogradLanes * WinogradPanel::kMaxChannels,
                  parts, filter)) {
            finite = false;
          }
        }
      }));
  return finite.load();
}

}  // namespace

bool IsWinogradSupported(const ConvProblem& p) {
  if (SupportedWinogradKernels().empty() || p.type != DataType::kFloat ||
      p.channels_first || p.spatial != 2 || p.groups != 1) {
    return false;
  }
  return std::all_of(p.window + 1, p.window + kMaxSpatial, [](const Window& w) {
    return w.filter == 3 && w.stride == 1 && w.dilation == 1;
  });
}

bool IsWinogradFaster(ConvPass pass, const ConvProblem& p) {
  if (!IsWinogradSupported(p)) return false;
  const TiledConv c = TiledConvOf(pass, p);
  if (pass != ConvPass::kFilter && c.in_depth > kMaxInChannels) return false;
  // Both algorithms compute whole vectors of the output's channels.
  const double elements =
      static_cast<double>(c.in_depth) * RoundUpTo(c.out_depth, kWinogradLanes);
  const double pixels =
      static_cast<double>(c.batch) * c.out_rows * c.out_columns;
  const bool avx2 = SupportedWinogradKernels().front() == &kAvx2WinogradKernels;
  const TransformCosts& costs = pass != ConvPass::kFilter ? kCosts
                                : avx2                    ? kFilterCostsAvx2
                                                          : kFilterCosts;
  return WorkOf(pass, c, c.Tiles()) + costs.filter_element * elements <
         9 * costs.direct * pixels * elements;
}

StatusOr<bool> RunWinogradConv(KernelContext& ctx, ConvPass pass,
                               const ConvProblem& p, const ConvData& data,
                               const WinogradKernels& kernels) {
  const TiledConv c = TiledConvOf(pass, p);
  if (pass == ConvPass::kFilter) {
    return RunFilterGradient(ctx, kernels, c,
                             reinterpret_cast<float*>(data.input),
                             reinterpret_cast<float*>(data.output),
                             reinterpret_cast<float*>(data.filter));
  }
  const bool forward = pass == ConvPass::kForward;
  const auto* x = reinterpret_cast<float*>(forward ? data.input : data.output);
  auto* const y = reinterpret_cast<float*>(forward ? data.output : data.input);
  const WinogradFilter filter{reinterpret_cast<float*>(data.filter), !forward};

  const int width = ctx.device().intra_op_width();
  const int64_t tiles = c.Tiles();
  const WinogradBlock block(kernels, BlockTiles(c, c.in_depth, width),
                            c.in_depth);
  const int64_t filter_size = RoundUpTo(WinogradFilterSize(c), kWinogradLanes);
  MR_ASSIGN_OR_RETURN(
      Tensor temp,
      ctx.AllocateTemp(DataType::kFloat,
                       TensorShape({filter_size + width * block.Size()})));
  float* const transformed = temp.mutable_flat<float>().data();
  const int64_t slices = (c.in_depth - 1) / kWinogradLanes + 1;
  MR_RETURN_IF_ERROR(ctx.ParallelFor(
      slices, 16 * c.out_depth, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          TransformFilter(kernels, c, filter, i * kWinogradLanes, transformed);
        }
      }));

  BlockPool pool(transformed + filter_size, block.Size(), width);
  std::atomic<bool> finite{true};
  const int64_t panels = WinogradPanel::Count(c.out_depth);
  MR_RETURN_IF_ERROR(ctx.ParallelFor(
      (tiles - 1) / block.tiles() + 1,
      static_cast<int64_t>(kNanosPerMultiplyAdd *
                           WorkOf(pass, c, block.tiles())),
      [&](int64_t begin, int64_t end) {
        const BlockPool::Use use(pool);
        for (int64_t i = begin; i < end && finite; ++i) {
          const int64_t first = i * block.tiles();
          const int64_t n = std::min(block.tiles(), tiles - first);
          block.TransformInput(c, x, c.in_depth, first, n, use.memory());
          for (int64_t j = 0; j < panels; ++j) {
            const WinogradPanel panel = WinogradPanel::At(c.out_depth, j);
            block.Multiply(c, transformed, panel, n, use.memory());
            if (!block.TransformOutput(c, panel, first, n, use.memory(), y)) {
              finite = false;
            }
          }
        }
      }));
  return finite.load();
}

}  // namespace millrace::ops
