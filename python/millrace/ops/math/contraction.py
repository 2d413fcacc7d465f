"""In which order a sum over more than two tensors is contracted: by greedy search.

Terms with the same letters are multiplied first. Then always that pair of terms with a common letter is contracted whose
result saves most elements (its size less those of the two); of equal ones the pair that was found first. What is left
has no common letters and is multiplied by its size, smallest first.
"""

import heapq
import itertools

# Sizes that are not known count as one: they make no difference between pairs.
_UNKNOWN = 1


def path(terms, output, shapes):
  """The contractions, each as the positions of its two terms (the higher first) and the term of its result.

  A contraction takes its terms out of the list and appends its result, so that later positions count without them.
  """
  sizes = _sizes(terms, shapes)
  order = _greedy([frozenset(_letters(term)) for term in terms], frozenset(_letters(output)), sizes)
  return _linear(list(terms), output, order)


def _letters(term):
  return [letter for letter in term.replace("...", "#")]


def _sizes(terms, shapes):
  sizes = {}
  for term, shape in zip(terms, shapes):
    for letter in _letters(term):
      sizes.setdefault(letter, _UNKNOWN)
    if shape is None:
      continue
    before, dots, after = term.partition("...")
    known = list(zip(before, shape)) + (list(zip(after, shape[len(shape) - len(after) :])) if dots else [])
    for letter, size in known:
      if size is not None:
        sizes[letter] = size if sizes[letter] == _UNKNOWN else max(sizes[letter], size)
  return sizes


def _size(letters, sizes):
  product = 1
  for letter in letters:
    product *= sizes[letter]
  return product


def _greedy(terms, output, sizes):
  """Pairs of numbers of terms; the result of a contraction has the next number."""
  order = []
  remaining = {}
  numbers = itertools.count(len(terms))
  for number, term in enumerate(terms):
    if term in remaining:
      order.append((remaining[term], number))
      remaining[term] = next(numbers)
    else:
      remaining[term] = number

  holders = {letter: set() for term in remaining for letter in term - output}
  for term in remaining:
    for letter in term - output:
      holders[letter].add(term)
  # Letters in at least 2 and at least 3 terms: they outlive a contraction of the first and of the second kind.
  common = {count: {letter for letter, held in holders.items() if len(held) >= count} for count in (2, 3)}
  footprints = {term: _size(term, sizes) for term in remaining}
  queue = []
  for letter in list(holders):
    held = sorted(holders[letter], key=remaining.__getitem__)
    for position, first in enumerate(held[:-1]):
      _push(queue, output, sizes, remaining, footprints, common, first, held[1 + position :])

  while queue:
    _, _, first, second, result = heapq.heappop(queue)
    if first not in remaining or second not in remaining:
      continue
    order.append((remaining.pop(first), remaining.pop(second)))
    for letter in first - output:
      holders[letter].discard(first)
    for letter in second - output:
      holders[letter].discard(second)
    if result in remaining:
      order.append((remaining[result], next(numbers)))
    else:
      for letter in result - output:
        holders[letter].add(result)
    remaining[result] = next(numbers)
    for letter in (first | second) - output:
      for count in (2, 3):
        (common[count].add if len(holders[letter]) >= count else common[count].discard)(letter)
    footprints[result] = _size(result, sizes)
    others = {other for letter in result - output for other in holders[letter]}
    others.discard(result)
    if others:
      _push(queue, output, sizes, remaining, footprints, common, result, sorted(others, key=remaining.__getitem__))

  outer = [(_size(term & output, sizes), number, term) for term, number in remaining.items()]
  heapq.heapify(outer)
  _, number, term = heapq.heappop(outer)
  while outer:
    _, other_number, other = heapq.heappop(outer)
    order.append((min(number, other_number), max(number, other_number)))
    term = (term | other) & output
    _, number, term = heapq.heappushpop(outer, (_size(term, sizes), next(numbers), term))
  return order


def _push(queue, output, sizes, remaining, footprints, common, first, seconds):
  candidates = []
  for second in seconds:
    either, both = first | second, first & second
    result = (either & output) | (both & common[3]) | ((either - both) & common[2])
    cost = _size(result, sizes) - footprints[first] - footprints[second]
    low, high = sorted((remaining[first], remaining[second]))
    pair = (first, second) if remaining[first] == low else (second, first)
    candidates.append((cost, (high, low), pair[0], pair[1], result))
  if candidates:
    heapq.heappush(queue, min(candidates))


def _linear(terms, output, order):
  """Positions in the shrinking list of terms, and the term of each result."""
  numbers = list(range(len(terms)))
  contractions = []
  for count, pair in enumerate(order):
    positions = sorted((numbers.index(number) for number in pair), reverse=True)
    taken = [terms.pop(position) for position in positions]
    for position in positions:
      numbers.pop(position)
    if not terms:
      result = output
    else:
      kept = set("".join(terms) + output)
      result = ""
      for letter in "".join(taken):
        if letter in kept and (letter == "." or letter not in result):
          result += letter
      result = _with_one_ellipsis(result)
    contractions.append((tuple(positions), result))
    terms.append(result)
    numbers.append(len(order) + 1 + count)
  return contractions


def _with_one_ellipsis(term):
  letters = term.replace(".", "")
  return ("..." if "." in term else "") + letters
