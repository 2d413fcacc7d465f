"""The steps of a chain as cells: sums over all paths, best paths forward, and back along them."""

import millrace as tf
from millrace.ops.control_flow import conditional
from millrace.ops.rnn.cell import RNNCell


class _ChainCell(RNNCell):
  """A cell of one number a tag."""

  def __init__(self, num_tags):
    super().__init__()
    self._num_tags = num_tags

  @property
  def state_size(self):
    return self._num_tags

  @property
  def output_size(self):
    return self._num_tags


class CrfForwardRnnCell(_ChainCell):
  """alpha_t = inputs_t + log of the sum over tags of exp(alpha_(t-1) + transitions), of `transition_params` [tags, tags]."""

  def __init__(self, transition_params):
    super().__init__(_number_of_tags(transition_params))
    self._transition_params = tf.expand_dims(transition_params, 0)

  def __call__(self, inputs, state, scope=None):
    """Returns (alphas, alphas), [batch, tags]; `scope` is not used."""
    scores = tf.expand_dims(state, 2) + self._transition_params
    alphas = inputs + tf.reduce_logsumexp(scores, [1])
    return alphas, alphas


class CrfDecodeForwardRnnCell(_ChainCell):
  """The best scores of paths that end with each tag, and the tags before; `transition_params` are [tags, tags]."""

  def __init__(self, transition_params):
    super().__init__(_number_of_tags(transition_params))
    self._transition_params = tf.expand_dims(transition_params, 0)

  def __call__(self, inputs, state, scope=None):
    """Returns (tags before, scores), [batch, tags]; `scope` is not used."""
    scores = tf.expand_dims(state, 2) + self._transition_params
    before = tf.argmax(scores, 1, output_type=tf.int32)
    return before, inputs + tf.reduce_max(scores, [1])


class CrfDecodeBackwardRnnCell(_ChainCell):
  """Goes back along the best path: of `num_tags` tags before, takes that of the tag in the state."""

  def __init__(self, num_tags):
    super().__init__(num_tags)

  @property
  def state_size(self):
    return 1

  @property
  def output_size(self):
    return 1

  def __call__(self, inputs, state, scope=None):
    """Returns (tags, tags), [batch, 1], of tags before [batch, tags] and tags [batch, 1]; `scope` is not used."""
    tags = tf.gather(inputs, state, batch_dims=1)
    return tags, tags


def by_number_of_steps(potentials, one, more):
  """Returns one() for potentials [batch, time, tags] of a single step, otherwise more(): a conditional if only a run knows the time.

  A loop over no steps cannot say the shape of what it returns where the size of the batch is not known.
  """
  time = potentials.get_shape().as_list()[1]
  is_one = tf.equal(tf.shape(potentials)[1], 1) if time is None else time == 1
  return conditional.smart_cond(is_one, one, more)


def _number_of_tags(transition_params):
  return tf.convert_to_tensor(transition_params).get_shape().as_list()[0]
