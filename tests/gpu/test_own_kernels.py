"""Products and convolutions by Millrace's own kernels, which run where cuBLASLt and cuDNN are missing or do not work: the cases of
the families that use them, of each op with one combination of types."""

import os
import subprocess

import cards
import pytest

PROGRAM = os.path.join(cards.BUILD, "tests", "gpu_cases_tests")
ALL = "product.Gpu/*:convolution.Gpu/*:fused.Gpu/*"
STANDIN = os.path.join(cards.BUILD, "tests", "gpu_standin")

pytestmark = pytest.mark.skipif(not os.path.exists(PROGRAM), reason="it is not built: ninja -C build/dev gpu_cases_tests")


def log_of_cases(folder, families=ALL, **more):
  """Runs the cases with the libraries of a folder; returns what is logged."""
  environment = dict(
    os.environ,
    MILLRACE_CUDA_LIBRARIES=str(folder),
    MILLRACE_GPU_CACHE=os.path.join(STANDIN, "code"),
    MILLRACE_STANDIN_CACHE=os.path.join(STANDIN, "cache"),
    MILLRACE_GPU_CASES="sample",
    **more,
  )
  environment.pop("CUDA_VISIBLE_DEVICES", None)
  words = [os.path.abspath(PROGRAM), "--gtest_color=no", "--gtest_filter=" + families]
  done = subprocess.run(
    words, cwd=cards.ROOT, env=environment, capture_output=True, text=True, timeout=cards.LIMIT_S, check=False
  )
  assert done.returncode == 0 and "[  PASSED  ]" in done.stdout, done.stdout + done.stderr
  return done.stderr


def test_without_the_libraries(tmp_path):
  """Where the machine has NVIDIA's own ones, they do not work with the stand-in."""
  for name in ("libcuda.so.1", "libnvrtc.so.13"):
    os.symlink(os.path.abspath(os.path.join(STANDIN, name)), tmp_path / name)
  log = log_of_cases(tmp_path)
  for name in ("cuBLASLt", "cuDNN"):
    assert name + " is not there" in log or name + " does not work" in log, log


def test_with_libraries_that_cannot_be_initialized():
  log = log_of_cases(STANDIN, MILLRACE_STANDIN_FAIL="cublasLtCreate:1-=1;cudnnCreate:1-=1001")
  assert "cuBLASLt does not work: cuBLASLt: cublasLtCreate failed: not initialized (1)" in log, log
  assert "cuDNN does not work: cuDNN: Create: not initialized (1001)" in log, log


def test_with_a_library_for_a_later_driver():
  log = log_of_cases(STANDIN, "convolution.Gpu/Conv3D*", MILLRACE_STANDIN_DRIVER_VERSION="12040")
  assert "cuDNN does not work: " in log and "libcudnn.so.9 is for CUDA 13.0, and the driver for CUDA 12.4" in log, log
