// How ops reduce: in what, and what the result is made of.
// Checked: with reduction/reduce.gpu.cu

template <class X>
struct SumAcc {
  typedef typename ChooseType<kIsInteger<X>, int64_t, Compute<X>>::type type;
};
template <class X>
struct AddOf {
  typedef typename SumAcc<X>::type Acc;
  MR_DEVICE static Acc Identity() { return Acc(0); }
  MR_DEVICE static Acc Take(Acc a, X x) { return a + static_cast<Acc>(x); }
  MR_DEVICE static Acc Merge(Acc a, Acc b) { return a + b; }
  MR_DEVICE static X Finish(Acc a, int64_t) { return static_cast<X>(a); }
};
template <class X>
struct MeanOf : AddOf<X> {
  typedef typename SumAcc<X>::type Acc;
  MR_DEVICE static X Finish(Acc a, int64_t count) {
    if constexpr (kIsInteger<X>) {
      if (count == 0) return X(0);
      if constexpr (X(-1) < X(0)) {
        return static_cast<X>(a / count);
      } else {
        return static_cast<X>(static_cast<uint64_t>(a) /
                              static_cast<uint64_t>(count));
      }
    } else if constexpr (kIsComplex<X>) {
      if (count == 0) return X(0);
      typedef decltype(a.re) R;
      return X(a.re / static_cast<R>(count), a.im / static_cast<R>(count));
    } else {
      return static_cast<X>(a / static_cast<Acc>(count));
    }
  }
};
template <class X>
struct ProductOf {
  typedef typename SumAcc<X>::type Acc;
  MR_DEVICE static Acc Identity() { return Acc(1); }
  MR_DEVICE static Acc Take(Acc a, X x) { return a * static_cast<Acc>(x); }
  MR_DEVICE static Acc Merge(Acc a, Acc b) { return a * b; }
  MR_DEVICE static X Finish(Acc a, int64_t) { return static_cast<X>(a); }
};
template <class X>
struct NormOf {
  typedef typename ChooseType<
      kIsInteger<X>, int64_t,
      typename ChooseType<kIsSame<X, complex64>, float,
                          typename ChooseType<kIsSame<X, complex128>, double,
                                              Compute<X>>::type>::type>::type
      Acc;
  MR_DEVICE static Acc Identity() { return Acc(0); }
  MR_DEVICE static Acc Take(Acc a, X x) {
    if constexpr (kIsComplex<X>) {
      return a + x.re * x.re + x.im * x.im;
    } else {
      const Acc v = static_cast<Acc>(x);
      return a + v * v;
    }
  }
  MR_DEVICE static Acc Merge(Acc a, Acc b) { return a + b; }
  MR_DEVICE static X Finish(Acc a, int64_t) {
    if constexpr (kIsInteger<X>) {
      // The sum wraps around in X; as on CPUs, a negative one has no root.
      const X sum = static_cast<X>(a);
      if (sum < X(0)) return sizeof(X) >= 4 ? Lowest<X>() : X(0);
      return static_cast<X>(sqrt(static_cast<double>(sum)));
    } else {
      return static_cast<X>(sqrt(a));
    }
  }
};
template <class X>
struct HalfSquareOf : NormOf<X> {  // L2Loss
  typedef typename NormOf<X>::Acc Acc;
  MR_DEVICE static X Finish(Acc a, int64_t) {
    return static_cast<X>(a / Acc(2));
  }
};
template <class X>
struct LargestOf {
  typedef Compute<X> Acc;
  MR_DEVICE static Acc Identity() { return MinusInfinity<Acc>(); }
  MR_DEVICE static Acc Take(Acc a, X x) {
    return Merge(a, static_cast<Acc>(x));
  }
  MR_DEVICE static Acc Merge(Acc a, Acc b) { return b > a || IsNan(b) ? b : a; }
  MR_DEVICE static X Finish(Acc a, int64_t) { return static_cast<X>(a); }
};
template <class X>
struct SmallestOf {
  typedef Compute<X> Acc;
  MR_DEVICE static Acc Identity() { return Infinity<Acc>(); }
  MR_DEVICE static Acc Take(Acc a, X x) {
    return Merge(a, static_cast<Acc>(x));
  }
  MR_DEVICE static Acc Merge(Acc a, Acc b) { return b < a || IsNan(b) ? b : a; }
  MR_DEVICE static X Finish(Acc a, int64_t) { return static_cast<X>(a); }
};
template <class X>
struct EveryOf {
  typedef int Acc;
  MR_DEVICE static Acc Identity() { return 1; }
  MR_DEVICE static Acc Take(Acc a, X x) { return a & int(x); }
  MR_DEVICE static Acc Merge(Acc a, Acc b) { return a & b; }
  MR_DEVICE static X Finish(Acc a, int64_t) { return a != 0; }
};
template <class X>
struct SomeOf {
  typedef int Acc;
  MR_DEVICE static Acc Identity() { return 0; }
  MR_DEVICE static Acc Take(Acc a, X x) { return a | int(x); }
  MR_DEVICE static Acc Merge(Acc a, Acc b) { return a | b; }
  MR_DEVICE static X Finish(Acc a, int64_t) { return a != 0; }
};

// The result of a segment without rows, if that is the neutral element: of
// floating types the largest or lowest that is finite.
template <class R, class X>
MR_DEVICE X EmptySegment() {
  if constexpr (kIsSame<R, LargestOf<X>>) {
    return Lowest<X>();
  } else if constexpr (kIsSame<R, SmallestOf<X>>) {
    return MaxOf<X>();
  } else {
    return static_cast<X>(R::Identity());
  }
}
