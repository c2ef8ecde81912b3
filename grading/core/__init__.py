"""What every other package here stands on: limits, texts, names, the report of a part."""
