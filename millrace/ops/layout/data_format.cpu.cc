// Kernels that translate dimensions, and numbers by dimension, from one format
// of images to another.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Two texts with a letter for each dimension, which are permutations of each
// other.
struct DataFormats {
  std::string src, dst;

  static StatusOr<DataFormats> Read(const KernelInit& init) {
    DataFormats f;
    MR_ASSIGN_OR_RETURN(f.src, init.Attr<std::string>("src_format"));
    MR_ASSIGN_OR_RETURN(f.dst, init.Attr<std::string>("dst_format"));
    if (f.src.size() != 4 && f.src.size() != 5) {
      return InvalidArgument(
          "Source format must be of length 4 or 5, received src_format = ",
          f.src);
    }
    if (f.dst.size() != 4 && f.dst.size() != 5) {
      return InvalidArgument(
          "Destination format must be of length 4 or 5, received dst_format = ",
          f.dst);
    }
    std::string a = f.src, b = f.dst;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    if (a != b || std::adjacent_find(a.begin(), a.end()) != a.end()) {
      return InvalidArgument(
          "Destination and source format must determine a permutation, got ",
          f.src, " and ", f.dst);
    }
    return f;
  }
};

// Returns, for each letter of `src`, where it is in `dst`.
std::vector<int64_t> PlacesOfLetters(absl::string_view src,
                                     absl::string_view dst) {
  std::vector<int64_t> places;
  for (const char letter : src) {
    places.push_back(static_cast<int64_t>(dst.find(letter)));
  }
  return places;
}

std::string OnlyLetters(absl::string_view format, absl::string_view letters) {
  std::string only;
  for (const char letter : format) {
    if (letters.find(letter) != absl::string_view::npos) only += letter;
  }
  return only;
}

class DimMapKernel {
 public:
  static StatusOr<DimMapKernel> Make(const KernelInit& init) {
    DimMapKernel k;
    MR_ASSIGN_OR_RETURN(const DataFormats formats, DataFormats::Read(init));
    k.places_ = PlacesOfLetters(formats.src, formats.dst);
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    const auto n = static_cast<int64_t>(places_.size());
    return Dispatch(IndexTypes{}, x.dtype(), [&]<class T>() -> Status {
      const T* const from = x.flat<T>().data();
      T* const to = out->mutable_flat<T>().data();
      return ctx.ParallelFor(
          x.num_elements(), 5, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              // As in stock, numbers beyond the dimensions go round.
              const int64_t dim = (n + int64_t{from[i]} % n) % n;
              to[i] = static_cast<T>(places_[static_cast<size_t>(dim)]);
            }
          });
    });
  }

 private:
  std::vector<int64_t> places_;
};

class VecPermuteKernel {
 public:
  static StatusOr<VecPermuteKernel> Make(const KernelInit& init) {
    VecPermuteKernel k;
    MR_ASSIGN_OR_RETURN(k.formats_, DataFormats::Read(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const std::vector<int64_t> places, PlacesFor(x));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    const auto width = static_cast<size_t>(x.rank());  // 1, or 2 for pairs
    return Dispatch(IndexTypes{}, x.dtype(), [&]<class T>() -> Status {
      const auto from = x.flat<T>();
      const auto to = out->mutable_flat<T>();
      for (size_t i = 0; i < places.size(); ++i) {
        for (size_t k = 0; k < width; ++k) {
          to[static_cast<size_t>(places[i]) * width + k] = from[i * width + k];
        }
      }
      return OkStatus();
    });
  }

 private:
  // Returns where each row of x goes.
  StatusOr<std::vector<int64_t>> PlacesFor(const Tensor& x) const {
    const auto all = static_cast<int64_t>(formats_.src.size());
    const int64_t spatial = all - 2;
    const std::string shape = x.shape().DebugString();
    if (x.rank() != 1 && x.rank() != 2) {
      return InvalidArgument(
          "input must be a vector or 2D tensor, but got shape ", shape);
    }
    if (x.dim(0) != all && x.dim(0) != spatial) {
      return InvalidArgument(
          x.rank() == 1 ? "1D input must be of size "
                        : "First dimension of 2D input must be of size ",
          spatial, " or ", all, ", but got shape ", shape);
    }
    if (x.rank() == 2 && x.dim(1) != 2) {
      return InvalidArgument(
          "Second dimension of 2D input must be of size 2, but got shape ",
          shape);
    }
    if (x.dim(0) == all) return PlacesOfLetters(formats_.src, formats_.dst);
    const char* const letters = all == 4 ? "HW" : "DHW";
    const std::string src = OnlyLetters(formats_.src, letters);
    if (static_cast<int64_t>(src.size()) != spatial) {
      return InvalidArgument("Format specifier must contain ",
                             all == 4 ? "H and W" : "D, H and W",
                             " for 2D case");
    }
    return PlacesOfLetters(src, OnlyLetters(formats_.dst, letters));
  }

  DataFormats formats_;
};

}  // namespace

MR_KERNELS(DataFormatDimMap,
           Cpu){{.types = "T: int32, int64", .make = MakeKernel<DimMapKernel>}};
MR_KERNELS(DataFormatVecPermute, Cpu){
    {.types = "T: int32, int64", .make = MakeKernel<VecPermuteKernel>}};

}  // namespace millrace::ops
