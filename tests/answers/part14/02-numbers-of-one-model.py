kv_cache_MHA = 2 * 1024
kv_cache_MLA = r
