kv_cache_MHA = 2 * H * d
kv_cache_MLA = r
