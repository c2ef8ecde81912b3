"""The service that grades each submission as it arrives: `python -m grading watch`."""
