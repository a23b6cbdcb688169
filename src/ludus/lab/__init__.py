"""The lab: a training run on disk, from its configuration to its learning curve.

`config` says what is trained, `planning` finds it by name, `run` keeps the files of a run's folder, `metrics` its record, `train` runs it and resumes
it, `progress` and `live` tell people how it goes, `plots` draws it, `events` writes it for TensorBoard. How learning works
lies in `ludus.methods`; nothing here changes what is learned.
"""

from __future__ import annotations

from ludus.lab.config import Config
from ludus.lab.live import view
from ludus.lab.progress import Progress
from ludus.lab.run import Run, TrainingError
from ludus.lab.train import Stopped, train

__all__ = ["Config", "Progress", "Run", "Stopped", "TrainingError", "train", "view"]
