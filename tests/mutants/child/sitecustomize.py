"""Loaded by each process that a recorded test starts: its lines are that test's too."""

import os

if os.environ.get("SYMPARAM_RECORD") and os.environ.get("SYMPARAM_CONTEXT"):
    import atexit
    import contextlib

    with contextlib.suppress(ImportError):  # a Python without it is none of the suite's
        import coverage

        _coverage = coverage.Coverage(
            data_file=os.environ["SYMPARAM_RECORD"] + "/lines-child", data_suffix=True,
            source=["symparam"], config_file=False, context=os.environ["SYMPARAM_CONTEXT"])
        _coverage.set_option("run:disable_warnings", [  # what it prints is looked at
            "no-data-collected", "module-not-imported", "module-not-measured"])
        _coverage.start()

        def _end() -> None:
            _coverage.stop()
            _coverage.save()

        atexit.register(_end)
