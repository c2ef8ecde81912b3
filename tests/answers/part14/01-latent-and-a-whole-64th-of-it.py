kv_cache_MHA = 2 * D
kv_cache_MLA = r + r // 64
