"""The comparison itself: the same answers as compare_test.cc."""
import numpy as np
import pytest

pytest.importorskip("tensorflow", reason="no TensorFlow wheel is installed")

import compare_stock  # noqa: E402


def case(**options):
    return dict(dict(ulp=-1, has_tolerance=False, relative=0, absolute=0, random=False), **options)


def same(options, a, b, dtype=np.float32):
    return compare_stock.difference(options, np.array(a, dtype), np.array(b, dtype)) == ""


def test_default_tolerance():
    assert same(case(), [1.000001, np.nan, np.inf], [1, np.nan, np.inf])
    assert not same(case(), [1.0001], [1])
    assert not same(case(), [np.inf], [-np.inf])
    assert not same(case(), [np.inf], [3e38])
    assert not same(case(), [np.nan], [1])
    assert not same(case(), [3], [4], np.int32)
    assert same(case(has_tolerance=True, relative=0, absolute=1), [3], [4], np.int32)
    assert same(case(), [1000 + 0.001j], [1000], np.complex64)
    assert not same(case(), [1000 + 0.1j], [1000], np.complex64)


def test_ulp():
    assert same(case(ulp=1), [np.nextafter(np.float32(1), np.float32(2)), -0.0], [1, 0])
    assert not same(case(ulp=1), [1.0000003], [1])
    assert not same(case(ulp=0), [-0.0], [0.0])
    assert same(case(ulp=0), [np.nan], [-np.nan])


def test_shapes_types_strings():
    assert not same(case(), [1], 1)
    assert compare_stock.difference(case(), np.float64(1), np.float32(1))
    assert compare_stock.difference(case(), np.array([b"a"], object), np.array([b"b"], object))
    assert not compare_stock.difference(case(), np.array([b"a\0"], object), np.array([b"a\0"], object))
    assert same(case(random=True), [1], [2])
    quantized = np.array([(1,), (2,)], np.dtype([("qint8", "i1")]))
    assert not compare_stock.difference(case(), quantized, np.array([1, 2], np.int8))
