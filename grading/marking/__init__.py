"""Verdicts on what a student's code gave, the sheet that adds them up, and names for usual mistakes."""
