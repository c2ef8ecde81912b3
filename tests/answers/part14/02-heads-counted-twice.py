# names: heads-counted-twice
kv_cache_MHA = 2 * H * D
kv_cache_MLA = r
