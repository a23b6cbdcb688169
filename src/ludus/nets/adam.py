"""Adam (Kingma & Ba 2015), for networks whose weights are plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.kernel import kernel


@kernel(fastmath=True)
def adam_step(weights: Any, gradient: Any, first: Any, second: Any, scale: float, rate: float, step: int) -> None:
    """One step of Adam on flat arrays; the gradient is scaled, used and set to zero."""
    b1, b2 = np.float32(0.9), np.float32(0.999)
    unbias1 = np.float32(1 / (1 - 0.9**step))
    unbias2 = np.float32(1 / (1 - 0.999**step))
    one, tiny, lr, s = np.float32(1), np.float32(1e-8), np.float32(rate), np.float32(scale)
    for i in range(len(weights)):
        g = gradient[i] * s
        first[i] = b1 * first[i] + (one - b1) * g
        second[i] = b2 * second[i] + (one - b2) * g * g
        weights[i] -= lr * first[i] * unbias1 / (np.sqrt(second[i] * unbias2) + tiny)
        gradient[i] = 0
