"""Whether sliders can be moved: a notebook that nobody has open shows something that stands still in their place."""

import os


def somebody_looks() -> bool:
    """Whether a front end shows the notebook: Jupyter's servers say so in the environment, VS Code in the names."""
    from IPython import get_ipython

    return "JPY_SESSION_NAME" in os.environ or "__vsc_ipynb_file__" in getattr(get_ipython(), "user_ns", ())
