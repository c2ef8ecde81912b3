# names: cache-of-one-head
kv_cache_MHA = 2 * d
kv_cache_MLA = r
