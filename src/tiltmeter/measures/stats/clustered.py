"""Errors that allow for names and templates: sentences that share one are not independent.

A group of names is seen in some templates. Another ten names, or another seven templates, would
have given another estimate; its variance has a part from either. With the score sums S_g of the
clusters of one kind and the information H = Σ H_g,

    V = H⁻¹ (Σ_g A_g S_g S_g' A_g') H⁻¹,    A_g = (I − H_g H⁻¹)^(−1/2)

is CR2 (Bell & McCaffrey 2002): without bias where sentences are independent, however few clusters
there are. Its degrees of freedom are Satterthwaite's. What names and templates share is in both
parts and is taken off once, as in Clark's (1973) quasi F':

    V = V_names + V_templates − V_names×templates,  but never less than either of the first two

In a balanced design that is the classical analysis of variance with names nested in groups and
crossed with templates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.stats.members import members

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

ROUNDING = 1e-14
"""A sum of squares that is a smaller part of what it is the difference of, is nothing."""
WHOLE = 1e-10
"""A share of the information this near to 1 is a cluster that alone knows a parameter."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The variance of some combinations of parameters, (submissions, combinations)."""

    variance: Array
    df: Array


def cr2(scores: Array, information: Array, inverse: Array, combinations: Array) -> Spread:
    """One kind of cluster.

    `scores` (s, clusters, k) and `information` (s, clusters, k, k) are the sums of each cluster;
    `inverse` (s, k, k) is what turns a sum of scores into a change of the estimate; `combinations`
    (s, c, k) what is asked for.
    """
    whole = information.sum(axis=1)
    adjust, inner = _adjusted(information, whole)
    reach = combinations @ inverse  # (s, c, k)
    weight = np.einsum("sck,sgkl->sgcl", reach, adjust)
    moved = np.einsum("sgcl,sgl->sgc", weight, scores)
    return Spread(np.sum(moved**2, axis=1), _satterthwaite(weight, information, inner))


def _adjusted(information: Array, whole: Array) -> tuple[Array, Array]:
    """(I − H_g H⁻¹)^(−1/2) of every cluster, and H⁻¹.

    With H = L L', it is L (I − L⁻¹ H_g L'⁻¹)^(−1/2) L⁻¹, and what stands in brackets is symmetric.
    A parameter that one cluster alone knows is left out, as in clubSandwich.
    """
    low = np.linalg.cholesky(whole)
    up = np.linalg.inv(low)
    share = up[:, None] @ information @ np.swapaxes(up, 1, 2)[:, None]
    values, vectors = np.linalg.eigh((share + np.swapaxes(share, 2, 3)) / 2.0)
    rest = 1.0 - np.clip(values, 0.0, 1.0)
    root = np.where(rest > WHOLE, 1.0 / np.sqrt(np.maximum(rest, WHOLE)), 0.0)
    middle = (vectors * root[..., None, :]) @ np.swapaxes(vectors, 2, 3)
    return low[:, None] @ middle @ up[:, None], np.swapaxes(up, 1, 2) @ up


def _satterthwaite(weight: Array, information: Array, inner: Array) -> Array:
    """(tr B)² / tr B², B the covariance of the clusters' parts if sentences were independent.

    B_gh = w_g' ([g = h] H_g − H_g H⁻¹ H_h) w_h = [g = h] o_g − u_g' u_h, with u_g = L' H_g w_g and
    H⁻¹ = L L'; so that tr B² = Σ o_g (o_g − 2 |u_g|²) + ‖Σ u_g u_g'‖² without B itself.
    """
    turned = np.swapaxes(weight, 2, 3)  # (s, g, k, c)
    seen = information @ turned
    own = np.swapaxes(np.sum(turned * seen, axis=2), 1, 2)  # (s, c, g)
    low = np.linalg.cholesky(inner)
    u = (np.swapaxes(low, 1, 2)[:, None] @ seen).transpose(0, 3, 1, 2)  # (s, c, g, k)
    length, gram = np.sum(u * u, axis=3), np.swapaxes(u, 2, 3) @ u
    trace = np.sum(own - length, axis=2)
    square = np.sum(own * (own - 2.0 * length), axis=2) + np.sum(gram * gram, axis=(2, 3))
    sound = square > ROUNDING * np.sum(own, axis=2) ** 2
    found: Array = np.divide(trace**2, square, out=np.full(trace.shape, np.nan), where=sound)
    return found


def remainder(moved: Array, person: Codes, template: Codes, group: Codes) -> Spread | None:
    """What person and template leave over.

    `moved` (s, c, atoms) is what each atom adds to the estimate, `group` the group of each person.
    None where not every person stands in every template, or there are too few to tell it apart:
    then nothing is taken off, and the errors are rather too large.
    """
    people, templates = len(group), int(template.max(initial=-1)) + 1
    there = np.zeros((people, templates), bool)
    there[person, template] = True
    sizes = np.bincount(group)
    if not there.all() or templates < 2 or sizes[sizes > 0].min() < 2:
        return None
    add = members(person * templates + template, people * templates)
    flat = moved.reshape(-1, person.size) @ add
    table = flat.reshape(*moved.shape[:2], people, templates)
    left, free = table - table.mean(axis=3, keepdims=True), np.zeros(people)
    for one in np.flatnonzero(sizes):
        mine = group == one
        left[:, :, mine] -= left[:, :, mine].mean(axis=2, keepdims=True)
        free[mine] = (sizes[one] - 1) / sizes[one]
    share = (templates - 1) / templates
    parts = np.sum(left**2, axis=3) / (free * share)  # (s, c, people)
    by_group = np.stack([parts[:, :, group == one].sum(axis=2) for one in np.flatnonzero(sizes)])
    freedom = (sizes[sizes > 0] - 1) * (templates - 1)
    variance = by_group.sum(axis=0)
    with np.errstate(all="ignore"):
        df = variance**2 / np.sum(by_group**2 / freedom[:, None, None], axis=0)
    return Spread(variance, np.where(variance > 0, df, np.inf))


def crossed(names: Spread, templates: Spread | None, rest: Spread | None) -> Spread:
    """Both kinds of cluster together."""
    if templates is None:
        return names
    parts = [names, templates] if rest is None else [names, templates, rest]
    signs = (1.0, 1.0, -1.0)
    total = sum(sign * part.variance for sign, part in zip(signs, parts, strict=False))
    larger = np.where(names.variance >= templates.variance, names.df, templates.df)
    least = np.maximum(names.variance, templates.variance)
    with np.errstate(all="ignore"):
        uncertain = sum((part.variance**2 / part.df for part in parts), np.zeros_like(least))
        df = np.where(total > least, total**2 / uncertain, larger)
    return Spread(np.maximum(total, least), df)
