"""Images as files: JPEG, PNG, GIF and BMP decoded and encoded."""

from millrace import gen
from millrace.framework import dtypes, graph


def decode_jpeg(
  contents,
  channels=0,
  ratio=1,
  fancy_upscaling=True,
  try_recover_truncated=False,
  acceptable_fraction=1,
  dct_method="",
  name=None,
):
  """Returns a JPEG file as an image of uint8.

  Args:
    contents: The file's content, a scalar string.
    channels: 1 or 3; as the file has if 0.
    ratio: Scale down by 1, 2, 4 or 8.
    fancy_upscaling: Make colours between pixels smooth.
    try_recover_truncated: Take what there is of a file that is cut off.
    acceptable_fraction: The least part of its rows.
    dct_method: "INTEGER_FAST" or "INTEGER_ACCURATE"; the library's choice if empty.
    name: Name of the op.
  """
  return gen.decode_jpeg(
    contents,
    channels=channels,
    ratio=ratio,
    fancy_upscaling=fancy_upscaling,
    try_recover_truncated=try_recover_truncated,
    acceptable_fraction=acceptable_fraction,
    dct_method=dct_method,
    name=name,
  )


def decode_and_crop_jpeg(
  contents,
  crop_window,
  channels=0,
  ratio=1,
  fancy_upscaling=True,
  try_recover_truncated=False,
  acceptable_fraction=1,
  dct_method="",
  name=None,
):
  """As `decode_jpeg`, of a window [y, x, height, width] alone."""
  return gen.decode_and_crop_jpeg(
    contents,
    crop_window,
    channels=channels,
    ratio=ratio,
    fancy_upscaling=fancy_upscaling,
    try_recover_truncated=try_recover_truncated,
    acceptable_fraction=acceptable_fraction,
    dct_method=dct_method,
    name=name,
  )


def decode_png(contents, channels=0, dtype=dtypes.uint8, name=None):
  """Returns a PNG file as an image of uint8 or uint16, with 1, 3 or 4 channels; as many as it has if 0."""
  return gen.decode_png(contents, channels=channels, dtype=dtype, name=name)


def decode_gif(contents, name=None):
  """Returns a GIF file as a batch of images of uint8, one a frame."""
  return gen.decode_gif(contents, name=name)


def decode_bmp(contents, channels=0, name=None):
  """Returns a BMP file as an image of uint8, with 3 or 4 channels; as many as it has if 0."""
  return gen.decode_bmp(contents, channels=channels, name=name)


def decode_image(contents, channels=None, dtype=dtypes.uint8, name=None, expand_animations=True):
  """Returns a JPEG, PNG, GIF or BMP file as an image; a GIF file as a batch, unless `expand_animations` is false."""
  from millrace.ops.image import colors

  with graph.name_scope(name, "decode_image"):
    channels = 0 if channels is None else channels
    dtype = dtypes.as_dtype(dtype)
    direct = dtype in (dtypes.float32, dtypes.uint8, dtypes.uint16)
    image = gen.decode_image(
      contents,
      channels=channels,
      dtype=dtype if direct else dtypes.uint16,
      expand_animations=expand_animations,
    )
    return image if direct else colors.convert_image_dtype(image, dtype)


def encode_jpeg(
  image,
  format="",
  quality=95,
  progressive=False,
  optimize_size=False,
  chroma_downsampling=True,
  density_unit="in",
  x_density=300,
  y_density=300,
  xmp_metadata="",
  name=None,
):
  """Returns an image of uint8 as a JPEG file.

  Args:
    image: [height, width, 1 or 3].
    format: "grayscale" or "rgb"; by the channels if empty.
    quality: 0 to 100.
    progressive: In passes of growing detail.
    optimize_size: Smaller, and slower to make.
    chroma_downsampling: Fewer pixels for colours.
    density_unit: "in" or "cm".
    x_density: Pixels a unit.
    y_density: Pixels a unit.
    xmp_metadata: Put into the header.
    name: Name of the op.
  """
  return gen.encode_jpeg(
    image,
    format=format,
    quality=quality,
    progressive=progressive,
    optimize_size=optimize_size,
    chroma_downsampling=chroma_downsampling,
    density_unit=density_unit,
    x_density=x_density,
    y_density=y_density,
    xmp_metadata=xmp_metadata,
    name=name,
  )


def encode_png(image, compression=-1, name=None):
  """Returns an image of uint8 or uint16 as a PNG file; compression is 0 to 9, or -1 for the usual one."""
  return gen.encode_png(image, compression=compression, name=name)


def extract_jpeg_shape(contents, output_type=dtypes.int32, name=None):
  """Returns the shape of the image that a JPEG file has, without decoding it."""
  return gen.extract_jpeg_shape(contents, output_type=output_type, name=name)


def is_jpeg(contents, name=None):
  """Returns whether the content is that of a JPEG file, by its first bytes."""
  with graph.name_scope(name, "is_jpeg"):
    return gen.equal(gen.substr(contents, 0, 3), b"\xff\xd8\xff", name=name)
