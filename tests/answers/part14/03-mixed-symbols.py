kv_cache_MHA = D + D**2 * d / (d * H * d)
kv_cache_MLA = D * r / (H * d)
