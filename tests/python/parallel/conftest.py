"""Tests of millrace.parallel get `tf`: they run by Millrace's client and by the stock one, each in a graph of its own."""

import pytest
from millrace import parallel


@pytest.fixture(params=["millrace", "stock"])
def tf(request):
  if request.param == "millrace":
    import millrace as module
  else:
    module = pytest.importorskip("tensorflow.compat.v1")
  parallel.use(module)
  with module.Graph().as_default():
    yield module
  parallel.use(None)


@pytest.fixture(params=["reference", "resource"])
def use_resource(request):
  """Both kinds of variables."""
  return request.param == "resource"
