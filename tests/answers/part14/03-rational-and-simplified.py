kv_cache_MHA = (4 * D * H * d / (2 * H * d)).simplify()
kv_cache_MLA = (r * d - r) / (d - 1)
