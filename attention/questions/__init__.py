"""What a hidden test runs in a student's kernel: functions that are sent there as source, with those that they name.

There `torch`, `nn` and `np` are known, and `kept`, where models wait for the next call; the rest is the student's.
"""
