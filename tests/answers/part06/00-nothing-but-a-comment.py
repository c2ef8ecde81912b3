# rank_relation = "=="
