"""Signals: Fourier and cosine transforms, windows, frames, short-time spectra, mel frequencies."""

import numpy as np


def _run(tf, tensors, feeds=None):
  with tf.Session() as session:
    return session.run(tensors, feeds)


def _raised(call):
  try:
    return call()
  except Exception as error:  # noqa: BLE001 - the other side has to raise the same
    return error


_SIGNAL = np.sin(np.arange(12.0)).astype(np.float32)


def program_fourier_of_complex_numbers(tf):
  z = tf.placeholder(tf.complex64, [4, 4, 4], name="z")
  results = []
  for name in ("fft", "fft2d", "fft3d", "ifft", "ifft2d", "ifft3d"):
    results += [getattr(tf.signal, name)(z), getattr(tf, name)(z, name="named_" + name)]
  value = (np.arange(64) + 1j * np.arange(64)[::-1]).reshape(4, 4, 4)
  return _run(tf, results, {z: value})


program_fourier_of_complex_numbers.rtol = 1e-4
program_fourier_of_complex_numbers.atol = 1e-3


def program_fourier_of_real_numbers(tf):
  x = tf.placeholder(tf.float32, [4, 4, 4], name="x")
  results = []
  for rank, name in enumerate(("rfft", "rfft2d", "rfft3d")):
    function = getattr(tf.signal, name)
    results += [function(x), function(x, [4, 3, 6][: rank + 1], name="named_" + name), function(x, [2] * (rank + 1))]
  results.append(tf.signal.rfft(tf.cast(x, tf.float64)))
  results.append(tf.signal.rfft(_SIGNAL, fft_length=[16]))
  return _run(tf, results, {x: np.sin(np.arange(64.0)).reshape(4, 4, 4)})


program_fourier_of_real_numbers.rtol = 1e-4
program_fourier_of_real_numbers.atol = 1e-4


def program_inverse_of_real_spectra(tf):
  z = tf.placeholder(tf.complex64, [3, 3, 3], name="z")
  results = []
  for rank, name in enumerate(("irfft", "irfft2d", "irfft3d")):
    function = getattr(tf.signal, name)
    results += [function(z), function(z, [5, 3, 6][: rank + 1], name="named_" + name), function(z, [4] * (rank + 1))]
  results.append(tf.signal.irfft(tf.cast(z, tf.complex128)))
  value = (np.arange(27) + 1j * np.arange(27)[::-1]).reshape(3, 3, 3)
  return _run(tf, results, {z: value})


program_inverse_of_real_spectra.rtol = 1e-4
program_inverse_of_real_spectra.atol = 1e-4


def program_fourier_of_unknown_lengths(tf):
  x = tf.placeholder(tf.float32, [None], name="x")
  length = tf.placeholder(tf.int32, [1], name="length")
  spectrum = tf.signal.rfft(x)
  results = [
    spectrum,
    tf.signal.rfft(x, [16]),
    tf.signal.rfft(x, length),
    tf.signal.irfft(spectrum),
    tf.signal.irfft(spectrum, [16]),
    tf.signal.irfft(spectrum, length),
  ]
  return _run(tf, results, {x: _SIGNAL, length: [14]})


program_fourier_of_unknown_lengths.rtol = 1e-4
program_fourier_of_unknown_lengths.atol = 1e-5


def program_shifts(tf):
  x = tf.placeholder(tf.float32, [4, 3], name="x")
  results = []
  for function in (tf.signal.fftshift, tf.signal.ifftshift):
    results += [function(x), function(x, axes=1), function(x, axes=[0, 1], name="named"), function(x, axes=[-1]), function(x, 0)]
  return _run(tf, results, {x: np.arange(12).reshape(4, 3)})


def program_cosine_transforms(tf):
  x = tf.placeholder(tf.float32, [2, 6], name="x")
  results = []
  for kind in (1, 2, 3, 4):
    results += [tf.signal.dct(x, type=kind), tf.signal.idct(x, type=kind, name="inverse")]
    if kind > 1:
      results += [tf.signal.dct(x, kind, norm="ortho", name="named"), tf.signal.idct(x, kind, norm="ortho")]
    results += [tf.signal.dct(x, kind, 4), tf.signal.dct(x, type=kind, n=9, axis=-1)]
  return _run(tf, results, {x: _SIGNAL.reshape(2, 6)})


program_cosine_transforms.rtol = 1e-4
program_cosine_transforms.atol = 1e-4


def program_wrong_cosine_transforms(tf):
  x = tf.placeholder(tf.float32, [4], name="x")
  calls = [{"type": 5}, {"norm": "other"}, {"axis": 0}, {"n": 0}, {"type": 1, "norm": "ortho"}]
  found = [_raised(lambda call=call: tf.signal.dct(x, **call)) for call in calls]
  return found + [_raised(lambda: tf.signal.dct(tf.placeholder(tf.float32, [1]), type=1))]


def program_windows(tf):
  n = tf.placeholder(tf.int32, [], name="n")
  results = []
  for function in (tf.signal.hann_window, tf.signal.hamming_window):
    results += [
      function(5),
      function(6),
      function(6, periodic=False, dtype=tf.float64, name="named"),
      function(n),
      function(1),
      function(tf.constant(4), False),
    ]
  return _run(tf, results, {n: 7}) + [_raised(lambda: tf.signal.hann_window(4, dtype=tf.int32))]


program_windows.rtol = 1e-5
program_windows.atol = 1e-6


def program_frames(tf):
  x = tf.placeholder(tf.float32, [12], name="x")
  m = tf.placeholder(tf.float32, [2, 12], name="m")
  results = [
    tf.signal.frame(x, 4, 2),
    tf.signal.frame(x, 5, 3, pad_end=True, pad_value=1, name="named"),
    tf.signal.frame(m, 4, 3),
    tf.signal.frame(m, 2, 1, axis=0),
    tf.signal.frame(m, 6, 4, pad_end=True, axis=-1),
    tf.signal.frame(x, 20, 3),
  ]
  feeds = {x: np.arange(12), m: np.arange(24).reshape(2, 12)}
  return _run(tf, results, feeds) + [str(r.get_shape()) for r in results]


def program_frames_of_unknown_shapes(tf):
  x = tf.placeholder(tf.float32, name="x")
  m = tf.placeholder(tf.float32, [None, 12], name="m")
  length = tf.placeholder(tf.int32, [], name="length")
  results = [tf.signal.frame(x, length, 2, pad_end=True), tf.signal.frame(m, 4, 2), tf.signal.frame(x, 3, 3)]
  values = _run(tf, results, {x: np.arange(11), m: np.arange(24).reshape(2, 12), length: 4})
  return values + [str(r.get_shape()) for r in results]


def program_overlap_and_add(tf):
  x = tf.placeholder(tf.float32, [3, 5], name="x")
  u = tf.placeholder(tf.float32, name="u")
  p = tf.placeholder(tf.float32, [None, 5], name="p")
  step = tf.placeholder(tf.int32, [], name="step")
  results = [
    tf.signal.overlap_and_add(x, 2),
    tf.signal.overlap_and_add(x, 5, name="named"),
    tf.signal.overlap_and_add(u, step),
    tf.signal.overlap_and_add(p, 5),
    tf.signal.overlap_and_add(p, 2),
    tf.signal.overlap_and_add(tf.stack([x, x]), 3),
  ]
  value = np.arange(15).reshape(3, 5)
  return _run(tf, results, {x: value, u: value, p: value, step: 2}) + [_raised(lambda: tf.signal.overlap_and_add(x, 1.5))]


def program_short_time_spectra(tf):
  x = tf.placeholder(tf.float32, [12], name="x")
  results = [
    tf.signal.stft(x, 4, 2),
    tf.signal.stft(x, 5, 3, 8, None, True, name="named"),
    tf.signal.stft(x, 4, 4, fft_length=8, window_fn=tf.signal.hamming_window),
  ]
  return _run(tf, results, {x: _SIGNAL})


program_short_time_spectra.rtol = 1e-4
program_short_time_spectra.atol = 1e-5


def program_there_and_back(tf):
  x = tf.placeholder(tf.float32, [12], name="x")
  spectra = tf.signal.stft(x, 4, 2)
  results = [
    tf.signal.inverse_stft(spectra, 4, 2),
    tf.signal.inverse_stft(spectra, 4, 2, window_fn=tf.signal.inverse_stft_window_fn(2), name="named"),
    tf.signal.inverse_stft(spectra, 3, 2, 4, None),
    tf.signal.inverse_stft(spectra, 6, 2, 4),
    tf.signal.inverse_stft_window_fn(2, forward_window_fn=tf.signal.hamming_window, name="w")(5, dtype=tf.float32),
  ]
  return _run(tf, results, {x: _SIGNAL})


program_there_and_back.rtol = 1e-4
program_there_and_back.atol = 1e-5


def program_mel_frequencies(tf):
  rate = tf.placeholder(tf.float64, [], name="rate")
  log_mel = tf.placeholder(tf.float32, [2, 8], name="log_mel")
  results = [
    tf.signal.linear_to_mel_weight_matrix(),
    tf.signal.linear_to_mel_weight_matrix(10, 65, rate, 100.0, 3000.0, tf.float64, "named"),
    tf.signal.mfccs_from_log_mel_spectrograms(log_mel),
    tf.signal.mfccs_from_log_mel_spectrograms(np.ones([1, 4], np.float32), name="coefficients"),
  ]
  return _run(tf, results, {rate: 8000.0, log_mel: np.arange(16).reshape(2, 8)})


program_mel_frequencies.rtol = 1e-3
program_mel_frequencies.atol = 1e-4


def program_wrong_mel_frequencies(tf):
  calls = [
    (-1,),
    (10, 65, 8000, -1.0),
    (10, 65, 8000, 10.0, 5.0),
    (10, 65, 8000, 10.0, 5000.0),
    (10, 65, -3, 10.0, 5000.0),
    (10, 65, 8000, 10.0, 3000.0, tf.int32),
  ]
  return [_raised(lambda call=call: tf.signal.linear_to_mel_weight_matrix(*call)) for call in calls]


def program_cosines_of_unknown_length(tf):
  x = tf.placeholder(tf.float32, [None, None], name="x")
  results = [tf.signal.dct(x, type=kind, name=f"type_{kind}") for kind in (2, 3, 4)]
  results += [tf.signal.dct(x, n=n, name=f"of_{n}") for n in (3, 6)]
  return _run(tf, results, {x: np.linspace(-1.0, 2.0, 8).reshape(2, 4)})


program_cosines_of_unknown_length.rtol = 1e-3
program_cosines_of_unknown_length.atol = 1e-4


def program_wrong_cosines(tf):
  x = tf.placeholder(tf.float32, [2, 1], name="x")
  calls = [{"n": 0}, {"type": 5}, {"type": 1}, {"type": 1, "norm": "ortho"}, {"norm": "other"}, {"axis": 0}]
  dcts = [_raised(lambda call=call: tf.signal.dct(x, **call)) for call in calls]
  return dcts + [_raised(lambda call=call: tf.signal.idct(x, **call)) for call in calls]
