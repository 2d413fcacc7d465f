"""Fourier transforms, and random numbers."""

from ops.rows import MILLION, complexes, doubles, ints, longs, normal, op, uniform


def random(name):
  return lambda tf, x: getattr(tf, name)([MILLION]) + x[0]


for name in ("random_normal", "random_uniform", "truncated_normal"):
  op("random/" + name, random(name), uniform(1))
op("fft/1d", lambda tf, x: tf.signal.fft(x), complexes(100, 1024))
op("fft/1d_prime", lambda tf, x: tf.signal.fft(x), complexes(100, 1009))
op("fft/2d", lambda tf, x: tf.signal.fft2d(x), complexes(4, 256, 256))
op("fft/r", lambda tf, x: tf.signal.rfft(x), uniform(100, 1024))
op("fft/ir", lambda tf, x: tf.signal.irfft(x), complexes(100, 513))
op("fft/stft", lambda tf, x: tf.signal.stft(x, 400, 160), uniform(4, 16000))
op("fft/dct", lambda tf, x: tf.signal.dct(x), uniform(100, 1024))
op("fft/3d", lambda tf, x: tf.signal.fft3d(x), complexes(2, 32, 32, 32))
op("fft/spectrogram", lambda tf, x: tf.raw_ops.AudioSpectrogram(input=x, window_size=480, stride=160), uniform(16000, 1))
op("fft/mfcc", lambda tf, x: tf.raw_ops.Mfcc(spectrogram=x, sample_rate=16000), uniform(1, 100, 257))
op("fft/frame", lambda tf, x: tf.signal.frame(x, 400, 160), uniform(4, 16000))
op("random/int", lambda tf, x: tf.random_uniform([MILLION], maxval=100, dtype=tf.int32) + x[0], ints(2, 1))
op("random/shuffle", lambda tf, x: tf.random_shuffle(x), uniform(100000))
op("random/shuffle_rows", lambda tf, x: tf.random_shuffle(x), uniform(10000, 64))
op("random/multinomial", lambda tf, x: tf.random.categorical(x, 100), normal(100, 1000))
op("random/gamma", lambda tf, x: tf.random.gamma([100], x + 0.5), uniform(1000))
op("random/poisson", lambda tf, x: tf.random.poisson(x * 10, [100]), uniform(1000))
op("random/stateless", lambda tf, x: tf.random.stateless_normal([MILLION], seed=x), ints(9, 2))
op("random/log_uniform", lambda tf, x: tf.random.log_uniform_candidate_sampler(x, 1, 1000, True, 10000)[0], longs(10000, 100, 1))
op("random/crop", lambda tf, x: tf.image.random_crop(x, [100, 100, 3], seed=1), uniform(224, 224, 3))
op("random/double", lambda tf, x: tf.random_normal([MILLION], dtype=tf.float64) + x[0], doubles(1))
