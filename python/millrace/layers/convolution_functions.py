"""tf.layers.conv2d and its like: each call makes a layer and applies it."""

import inspect

from millrace.layers import convolution, convolution_transpose, separable


def _function(layer_class, name, doc):
  """Returns the function with the arguments of the class's constructor, `inputs` before them and `reuse` behind them."""
  arguments = list(inspect.signature(layer_class.__init__).parameters.values())[1:-1]
  kinds = inspect.Parameter
  signature = inspect.Signature(
    [
      kinds("inputs", kinds.POSITIONAL_OR_KEYWORD),
      *arguments,
      kinds("reuse", kinds.POSITIONAL_OR_KEYWORD, default=None),
    ]
  )

  def function(*args, **kwargs):
    bound = signature.bind(*args, **kwargs).arguments
    inputs, reuse = bound.pop("inputs"), bound.pop("reuse", None)
    layer = layer_class(**bound, _reuse=reuse, _scope=bound.get("name"))
    return layer.apply(inputs)

  function.__name__ = function.__qualname__ = name
  function.__signature__ = signature
  function.__doc__ = doc
  return function


_SEE = "  `reuse` says that the variables of `name` are there already. Arguments: see %s."


def _doc(first, layer_class):
  return first + "\n\n" + _SEE % layer_class.__name__


conv1d = _function(convolution.Conv1D, "conv1d", _doc("Returns a convolution of series.", convolution.Conv1D))
conv2d = _function(convolution.Conv2D, "conv2d", _doc("Returns a convolution of images.", convolution.Conv2D))
conv3d = _function(convolution.Conv3D, "conv3d", _doc("Returns a convolution of volumes.", convolution.Conv3D))
conv2d_transpose = _function(
  convolution_transpose.Conv2DTranspose,
  "conv2d_transpose",
  _doc("Returns images of which the inputs could be a convolution.", convolution_transpose.Conv2DTranspose),
)
conv3d_transpose = _function(
  convolution_transpose.Conv3DTranspose,
  "conv3d_transpose",
  _doc("Returns volumes of which the inputs could be a convolution.", convolution_transpose.Conv3DTranspose),
)
separable_conv1d = _function(
  separable.SeparableConv1D,
  "separable_conv1d",
  _doc("Returns a convolution of each channel of series by itself, then over all channels.", separable.SeparableConv1D),
)
separable_conv2d = _function(
  separable.SeparableConv2D,
  "separable_conv2d",
  _doc("Returns a convolution of each channel of images by itself, then over all channels.", separable.SeparableConv2D),
)
