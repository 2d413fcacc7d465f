"""What gpu_check measures, by PyTorch: lines `name seconds`, under the same names, with the same sizes as benchmarks.cc.

Eager, with TF32 where float32 is multiplied, images with channels last. Exit code 3 where there is no PyTorch with a card.
"""

import sys
import time

try:
  import torch
except ImportError:
  print("torch is not installed", file=sys.stderr)
  sys.exit(3)
if not torch.cuda.is_available():
  print("torch sees no card", file=sys.stderr)
  sys.exit(3)

MATMUL, ELEMENTS, IMAGES, SIDE, BATCH, HIDDEN, WIDTH, REPEATS = 8192, 1 << 28, 128, 28, 256, 2048, 64, 10
torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True
torch.backends.cudnn.benchmark = True


def seconds(step, limit=1.0):
  """The median time of a step, each waited for, as a session's step is."""
  for _ in range(3):
    step()
  torch.cuda.synchronize()
  times, begin = [], time.perf_counter()
  while len(times) < 5 or (time.perf_counter() - begin < limit and len(times) < 200):
    start = time.perf_counter()
    step()
    torch.cuda.synchronize()
    times.append(time.perf_counter() - start)
  return sorted(times)[len(times) // 2]


def report(name, step, repeats=REPEATS):
  def repeated():
    for _ in range(repeats):
      step()

  try:
    print(name, seconds(repeated) / repeats, flush=True)
  except RuntimeError as error:
    print(name, "failed:", str(error).splitlines()[0], file=sys.stderr)
  torch.cuda.empty_cache()


def drawn(*shape, dtype=torch.float32):
  return torch.rand(*shape, device="cuda").sub(0.5).to(dtype)


def matmul(dtype):
  a, b = drawn(MATMUL, MATMUL, dtype=dtype), drawn(MATMUL, MATMUL, dtype=dtype)
  return lambda: torch.matmul(a, b)


def convolution(dtype):
  x = drawn(IMAGES, 2 * WIDTH, SIDE, SIDE, dtype=dtype).to(memory_format=torch.channels_last)
  f = drawn(2 * WIDTH, 2 * WIDTH, 3, 3, dtype=dtype).to(memory_format=torch.channels_last)
  return lambda: torch.nn.functional.conv2d(x, f, padding=1)


def trained(model, x):
  labels = torch.arange(len(x), device="cuda") % 10
  optimizer = torch.optim.SGD(model.parameters(), 0.01)

  def step():
    optimizer.zero_grad(set_to_none=True)
    torch.nn.functional.cross_entropy(model(x), labels).backward()
    optimizer.step()

  return step


def mlp():
  layers = [
    torch.nn.Linear(784, HIDDEN),
    torch.nn.ReLU(),
    torch.nn.Linear(HIDDEN, HIDDEN),
    torch.nn.ReLU(),
    torch.nn.Linear(HIDDEN, 10),
  ]
  return trained(torch.nn.Sequential(*layers).cuda(), drawn(BATCH, 784))


class Block(torch.nn.Module):
  def __init__(self, before, channels):
    super().__init__()
    stride = 1 if before == channels else 2
    self.way = None if stride == 1 else torch.nn.Conv2d(before, channels, 1, stride, bias=False)
    self.first = torch.nn.Conv2d(before, channels, 3, stride, 1, bias=False)
    self.second = torch.nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
    self.norms = torch.nn.ModuleList([torch.nn.BatchNorm2d(channels), torch.nn.BatchNorm2d(channels)])

  def forward(self, x):
    y = torch.relu(self.norms[0](self.first(x)))
    y = self.norms[1](self.second(y))
    return torch.relu(y + (x if self.way is None else self.way(x)))


def resnet():
  layers = [torch.nn.Conv2d(3, WIDTH, 3, 1, 1, bias=False), torch.nn.BatchNorm2d(WIDTH), torch.nn.ReLU()]
  before = WIDTH
  for channels in (WIDTH, 2 * WIDTH, 4 * WIDTH):
    layers += [Block(before, channels), Block(channels, channels)]
    before = channels
  layers += [torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(before, 10)]
  model = torch.nn.Sequential(*layers).cuda().to(memory_format=torch.channels_last)
  return trained(model, drawn(IMAGES, 3, 32, 32).to(memory_format=torch.channels_last))


def elementwise():
  x, y = drawn(ELEMENTS), drawn(ELEMENTS)
  report("copy", lambda: x.clone())
  report("elementwise_add", lambda: x + y)


def reductions():
  x = drawn(ELEMENTS)
  rows = x.view(-1, 4096)
  report("reduce_all", lambda: x.sum())
  report("reduce_rows", lambda: rows.sum(1))


def null_step():
  x = drawn(1024)
  report("null_step", lambda: -x, repeats=1)


def main():
  print("# torch %s, CUDA %s, %s" % (torch.__version__, torch.version.cuda, torch.cuda.get_device_name()), flush=True)
  report("matmul_tf32", matmul(torch.float32))
  report("matmul_bf16", matmul(torch.bfloat16))
  report("convolution_tf32", convolution(torch.float32))
  report("convolution_f16", convolution(torch.float16))
  elementwise()
  reductions()
  null_step()
  report("mlp_step", mlp(), repeats=1)
  report("resnet_step", resnet(), repeats=1)


main()
