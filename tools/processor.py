"""What the processor of this machine has, for tests that compare with stock TensorFlow."""


def flags():
  """Returns the flags of /proc/cpuinfo; none where it does not say."""
  with open("/proc/cpuinfo", encoding="utf-8") as f:
    for line in f:
      name, _, value = line.partition(":")
      if name.strip() in ("flags", "Features"):
        return set(value.split())
  return set()


def sums_of_bytes_saturate(found=None):
  """Returns whether stock adds pairs of products of 8 bits in 16 bits, which saturate: without instructions that add them in 32."""
  return (flags() if found is None else found).isdisjoint({"avx512_vnni", "avx_vnni"})
