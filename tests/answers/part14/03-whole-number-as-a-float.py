kv_cache_MHA = 2.0 * D
kv_cache_MLA = 1 * r
